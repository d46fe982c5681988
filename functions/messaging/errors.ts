import type { DispatchResult } from '../../shared/messaging/consuming/dispatcher.ts';
import { defineProblems, type ProblemItem } from '../../shared/problems/problem.ts';

/** The problems of the messaging module. */
export const problems = defineProblems({
  deadLetterNotFound: {
    code: 'MQ_DEAD_LETTER_NOT_FOUND',
    status: 404,
    title: 'Dead letter not found',
    describe: ({ id }: { id: string }) => `There is no dead letter with the id ${id}.`,
  },
  notDead: {
    code: 'MQ_NOT_DEAD',
    status: 409,
    title: 'Message is not a dead letter',
    describe: ({ status }: { status: string }) => ({
      detail: `Only a dead letter can be requeued or discarded; the status of this message is ${status}.`,
      extensions: { messageStatus: status },
    }),
  },
  notAMessage: {
    code: 'MQ_NOT_A_MESSAGE',
    status: 409,
    title: 'The dead letter is not a valid message',
    describe: () =>
      'The queue held something that is not a message of the bus; it can only be discarded.',
  },
  bodyMissing: {
    code: 'MQ_BODY_MISSING',
    status: 409,
    title: 'The body of the message is gone',
    describe: () =>
      'The bucket does not hold the body of this message, or refuses it; the dead letter can only be discarded.',
  },
  bodyUnreachable: {
    code: 'MQ_BODY_UNREACHABLE',
    status: 503,
    title: 'The body of the message cannot be reached',
    describe: () =>
      'The body of this message cannot be read from the bucket at the moment. Repeat the call later; the dead letter stays as it is.',
  },
  noListener: {
    code: 'MQ_NO_LISTENER',
    status: 404,
    title: 'No listener for the topic',
    describe: ({ topic }: { topic: string }) => `No deployed function listens to ${topic}.`,
  },
  messageIdEmpty: {
    code: 'MQ_MESSAGE_ID_EMPTY',
    status: 422,
    title: 'Message has no messageId',
    describe: (results: readonly DispatchResult[]) => ({
      detail: 'The messageId expression of a listener matches nothing in the message.',
      extensions: { results },
    }),
  },
  payloadInvalid: {
    code: 'MQ_PAYLOAD_INVALID',
    status: 422,
    title: 'Payload rejected by a listener',
    describe: (results: readonly DispatchResult[]) => ({
      detail: results.flatMap(({ error }) => error?.message ?? []).join(' '),
      errors: [
        {
          pointer: '/payload',
          code: 'MQ_PAYLOAD_INVALID',
          detail: 'does not match the schema of a listener',
        },
      ] satisfies ProblemItem[],
      extensions: { results },
    }),
  },
  listenerFailed: {
    code: 'MQ_LISTENER_FAILED',
    status: 500,
    title: 'A listener failed',
    describe: (failed: {
      readonly messageId: string;
      readonly results: readonly DispatchResult[];
    }) => ({
      detail:
        'At least one listener failed. Retry with the same messageId: listeners that succeeded do not run again.',
      extensions: { ...failed },
    }),
  },
});
