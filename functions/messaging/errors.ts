import type { DispatchResult } from '../../shared/messaging/consuming/dispatcher.ts';
import { defineProblems, type ProblemItem } from '../../shared/problems/problem.ts';

/** The problems of the messaging module. */
export const problems = defineProblems({
  deadLetterNotFound: {
    code: 'MQ_DEAD_LETTER_NOT_FOUND',
    status: 404,
    title: 'There is no such dead letter',
    describe: ({ id }: { id: string }) => `No message has the id ${id}.`,
  },
  notDead: {
    code: 'MQ_NOT_DEAD',
    status: 409,
    title: 'The message is not dead',
    describe: ({ status }: { status: string }) => ({
      detail: `Only a dead letter can be sent again or discarded; this one is ${status}.`,
      extensions: { messageStatus: status },
    }),
  },
  notAMessage: {
    code: 'MQ_NOT_A_MESSAGE',
    status: 409,
    title: 'The dead letter is no message',
    describe: () => 'What the queue held is no message of the bus; it can only be discarded.',
  },
  noListener: {
    code: 'MQ_NO_LISTENER',
    status: 404,
    title: 'Nobody listens to the topic',
    describe: ({ topic }: { topic: string }) => `No function that is deployed listens to ${topic}.`,
  },
  messageIdEmpty: {
    code: 'MQ_MESSAGE_ID_EMPTY',
    status: 422,
    title: 'The message has no messageId',
    describe: (results: readonly DispatchResult[]) => ({
      detail: 'The messageId expression of a listener finds nothing in the message.',
      extensions: { results },
    }),
  },
  payloadInvalid: {
    code: 'MQ_PAYLOAD_INVALID',
    status: 422,
    title: 'A listener does not accept the payload',
    describe: (results: readonly DispatchResult[]) => ({
      detail: results.flatMap(({ error }) => error?.message ?? []).join(' '),
      errors: [
        {
          pointer: '/payload',
          code: 'MQ_PAYLOAD_INVALID',
          detail: 'breaks the schema of a listener',
        },
      ] satisfies ProblemItem[],
      extensions: { results },
    }),
  },
  listenerFailed: {
    code: 'MQ_LISTENER_FAILED',
    status: 500,
    title: 'A listener failed',
    describe: (results: readonly DispatchResult[]) => ({
      detail:
        'At least one listener failed; the call may be repeated with the same messageId, what is done stays done.',
      extensions: { results },
    }),
  },
});
