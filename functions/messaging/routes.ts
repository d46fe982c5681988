import type { PlatformConfig } from '../../shared/config/index.ts';
import { pageQuery, toPage } from '../../shared/http/paging.ts';
import { accepted, noContent, ok } from '../../shared/http/reply.ts';
import { permission, type Route, route } from '../../shared/http/route.ts';
import type { DeadLetterService } from './dead-letters/dead-letter-service.ts';
import { DEAD_LETTER_TARGET } from './dead-letters/dead-letter-view.ts';
import { type DispatchService, messageIdOfCall } from './dispatch-service.ts';
import { problems } from './errors.ts';
import * as schemas from './schemas.ts';

export interface MessagingRouteServices {
  readonly deadLetterService: DeadLetterService;
  readonly dispatchService: DispatchService;
}

const DEAD_LETTERS = '/broker/dead-letter';

const example = {
  id: '01920000-0000-7000-8000-000000000001',
  messageId: '01920000-0000-7000-8000-000000000001',
  source: 'outbox',
  topic: 'order.placed',
  key: 'A-1',
  group: null,
  status: 'DEAD',
  attempts: 4,
  requeueCount: 0,
  createdAt: '2026-03-01T09:30:00.000Z',
  deadAt: '2026-03-01T09:31:10.000Z',
  lastError: { code: 'InternalFailure', message: 'The bus did not confirm the event' },
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  size: 128,
};

/** Routes of the messaging module: dead letters with the relay, dispatch when enabled. */
export function messagingRoutes(
  services: MessagingRouteServices,
  { mq, web }: Pick<PlatformConfig, 'mq' | 'web'>,
): Route[] {
  return [
    ...(mq.relay.enabled ? deadLetterRoutes(services, web) : []),
    ...(mq.brokerRestfulEnabled ? [dispatchRoute(services)] : []),
  ];
}

function deadLetterRoutes(
  { deadLetterService }: MessagingRouteServices,
  web: PlatformConfig['web'],
): Route[] {
  return [
    route({
      operationId: 'listDeadLetters',
      method: 'GET',
      path: DEAD_LETTERS,
      summary: 'Lists messages that could not be sent or processed',
      description:
        'Newest first, without payloads. Filters compare the first 200 characters of key and messageId.',
      access: permission(DEAD_LETTER_TARGET),
      query: () => schemas.deadLetterQuery(pageQuery(web)),
      responses: {
        200: {
          description: 'A page of dead letters',
          schema: schemas.deadLetterPage,
          example: toPage({
            content: [example],
            number: 0,
            size: 20,
            total: { value: 1, relation: 'eq' },
          }),
        },
      },
      handle: async ({ query: { page, size, cursor, ...filter } }) => {
        const found = await deadLetterService.list(filter, { page, size, cursor });
        const isWhole = Object.values(filter).every((value) => value === undefined);
        return ok(toPage({ ...found, ...(isWhole && { total: await deadLetterService.count() }) }));
      },
    }),
    route({
      operationId: 'getDeadLetter',
      method: 'GET',
      path: `${DEAD_LETTERS}/{id}`,
      summary: 'Reads a dead letter with its payload',
      access: permission(DEAD_LETTER_TARGET),
      params: schemas.deadLetterParams,
      whenTooLarge:
        'The payload stays in the bucket of the platform; requeueing and discarding work without it.',
      responses: {
        200: {
          description: 'The dead letter',
          schema: schemas.deadLetterDetail,
          example: { ...example, headers: {}, payload: { total: 42 } },
        },
      },
      problems: [problems.deadLetterNotFound, problems.notDead, problems.bodyUnreachable],
      handle: async ({ params: { id }, principal }) =>
        ok(await deadLetterService.get(id, principal)),
    }),
    route({
      operationId: 'requeueDeadLetter',
      method: 'POST',
      path: `${DEAD_LETTERS}/{id}/requeue`,
      summary: 'Sends a dead letter again under the same messageId',
      access: permission(DEAD_LETTER_TARGET, 'edit'),
      params: schemas.deadLetterParams,
      responses: {
        202: {
          description: 'The message is queued for sending',
          schema: schemas.requeueAccepted,
          example: { id: example.id, status: 'PENDING' },
        },
      },
      problems: [
        problems.deadLetterNotFound,
        problems.notDead,
        problems.notAMessage,
        problems.bodyMissing,
        problems.bodyUnreachable,
      ],
      handle: async ({ params: { id }, principal }) => {
        await deadLetterService.requeue(id, principal);
        return accepted({ id, status: 'PENDING' });
      },
    }),
    route({
      operationId: 'requeueDeadLetters',
      method: 'POST',
      path: `${DEAD_LETTERS}/requeue`,
      summary: 'Sends many dead letters again, by id or by filter',
      description:
        'Newest first. Messages that are no longer dead letters, or cannot be requeued, are skipped and named. While there are more (remaining) the call may be repeated, with nextCursor as cursor if it has one. MQ_NOT_TRIED: the time of the call was over.',
      access: permission(DEAD_LETTER_TARGET, 'edit'),
      body: schemas.requeueBody,
      bodyExample: { filter: { topic: 'order.placed' }, limit: 500 },
      responses: {
        200: {
          description: 'The outcome',
          schema: schemas.requeueReport,
          example: {
            requeued: 499,
            skipped: [{ id: example.id, reason: 'MQ_NOT_DEAD' }],
            remaining: false,
          },
        },
      },
      // Each letter has a line of its own.
      concerns: ({ body }) => ('ids' in body ? { letters: body.ids.length } : body),
      handle: async ({ body, principal }) =>
        ok(await deadLetterService.requeueMany(body, principal)),
    }),
    route({
      operationId: 'discardDeadLetter',
      method: 'DELETE',
      path: `${DEAD_LETTERS}/{id}`,
      summary: 'Discards a dead letter; it is kept for 30 more days',
      access: permission(DEAD_LETTER_TARGET),
      params: schemas.deadLetterParams,
      query: schemas.discardQuery,
      responses: { 204: { description: 'Discarded' } },
      problems: [problems.deadLetterNotFound, problems.notDead],
      handle: async ({ params: { id }, query: { reason }, principal }) => {
        await deadLetterService.discard(id, reason, principal);
        return noContent();
      },
    }),
  ];
}

function dispatchRoute({ dispatchService }: MessagingRouteServices): Route {
  return route({
    operationId: 'dispatchMessage',
    tag: 'Dispatch',
    method: 'POST',
    path: '/broker/dispatch',
    summary: 'Delivers a message to the listeners of a topic and waits for them',
    description:
      'Reaches every deployed listener of the topic, in whichever function it runs. Each group processes a messageId of the topic once. What a listener has done stays when another fails.',
    access: permission('mq:dispatch'),
    query: schemas.dispatchQuery,
    body: schemas.dispatchBody,
    bodyExample: { key: 'A-1', payload: { total: 42 } },
    idempotent: true,
    responses: {
      200: {
        description: 'Every listener has processed the message',
        schema: schemas.dispatchResults,
        example: {
          topic: 'order.placed',
          messageId: example.messageId,
          results: [{ group: 'billing', status: 'PROCESSED' }],
        },
      },
    },
    problems: [
      problems.noListener,
      problems.messageIdEmpty,
      problems.payloadInvalid,
      problems.listenerFailed,
    ],
    concerns: ({ query: { topic }, body: { messageId } }) => ({ topic, messageId }),
    handle: async ({ query: { topic }, body, headers, principal }) => {
      const key = headers['idempotency-key'];
      const messageId = key && messageIdOfCall(topic, key, principal);
      return ok(
        await dispatchService.dispatch(topic, { ...(messageId && { messageId }), ...body }),
      );
    },
  });
}
