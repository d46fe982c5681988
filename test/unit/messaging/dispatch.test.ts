import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createMessagingModule } from '../../../functions/messaging/module.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import { defineHost } from '../../../shared/host/host.ts';
import {
  DISPATCH_TASK,
  type DispatchResult,
} from '../../../shared/messaging/consuming/dispatcher.ts';
import {
  brokerListener,
  type Listener,
  messageListener,
} from '../../../shared/messaging/consuming/listener.ts';
import { OWN_FUNCTION } from '../../../shared/messaging/wire/topology.ts';
import { admin, OTHER_ISSUER } from '../../helpers/api/test-tokens.ts';
import { aContext, type ConnectedModule, connect } from '../../helpers/world/a-context.ts';

/** Functions by name, each with its listeners; dispatching reaches them as an invocation does. */
function aPlatform(functions: Readonly<Record<string, readonly Listener[]>>) {
  const listeners: Record<string, Record<string, string>> = {};
  for (const [name, own] of Object.entries(functions)) {
    for (const { topic, group } of own) listeners[topic] = { ...listeners[topic], [group]: name };
  }
  const svc = { mq: { transport: 'broker', 'broker-restful-enabled': true } };
  const context = aContext({ module: 'messaging', svc, topology: { listeners } });
  const connected = new Map<string, ConnectedModule>(
    Object.entries(functions).map(([name, own]) => [
      name,
      connect(
        () => ({ routes: [], listeners: own }),
        aContext({
          module: name,
          svc,
          besides: context,
          host: { permissionEvaluator: claimsPermissionEvaluator, listeners: own },
        }),
      ),
    ]),
  );
  const invoked: string[] = [];
  const messaging = connect(
    (own) =>
      createMessagingModule(own, {
        async dispatch(name, message) {
          invoked.push(name);
          if (name === 'crashing') throw new Error('Task timed out, token=hunter2');
          const answer = await connected
            .get(name)
            ?.runTask(DISPATCH_TASK, structuredClone(message));
          return answer as readonly DispatchResult[];
        },
      }),
    context,
  );
  const dispatch = (topic: string, body: unknown, idempotencyKey?: string, caller = admin) =>
    messaging.call({
      method: 'POST',
      path: `/broker/dispatch?topic=${topic}`,
      body,
      caller,
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    });
  return { context, messaging, dispatch, invoked };
}

const bill: Listener = messageListener(
  { topic: 'order.placed', group: 'billing' },
  async (_, { uow }) => {
    uow.update(
      { pk: 'HOST#bill', sk: 'bill' },
      { expression: 'ADD bills :one', values: { ':one': 1 } },
    );
  },
);

describe('POST /broker/dispatch', () => {
  it('reaches every listener of the topic, whichever function holds it', async () => {
    const stock = messageListener({ topic: 'order.placed', group: 'stock' }, async () => undefined);
    const other = messageListener({ topic: 'other', group: 'other' }, async () => undefined);
    const { dispatch, invoked } = aPlatform({
      messaging: [bill],
      entities: [stock],
      third: [other],
    });

    const { status, body } = await dispatch('order.placed', { payload: { total: 1 }, key: 'A-1' });

    expect(status).toBe(200);
    expect(invoked.sort()).toEqual(['entities', 'messaging']);
    expect(body).toMatchObject({ topic: 'order.placed', messageId: expect.any(String) });
    expect(body.results).toEqual(
      expect.arrayContaining([
        { group: 'billing', status: 'PROCESSED' },
        { group: 'stock', status: 'PROCESSED' },
      ]),
    );
  });

  it('processes a messageId once for each group, and remembers it as received', async () => {
    const { context, dispatch } = aPlatform({ messaging: [bill] });

    await dispatch('order.placed', { messageId: 'm-1', payload: {} });
    const { body } = await dispatch('order.placed', { messageId: 'm-1', payload: {} });

    expect(body.results).toEqual([{ group: 'billing', status: 'DUPLICATE' }]);
    const items = context.db.items();
    expect(items.find(({ pk }) => pk === 'HOST#bill')).toMatchObject({ bills: 1 });
    expect(items.find(({ type }) => type === 'received_messages')).toMatchObject({
      pk: expect.stringMatching(/^received_messages#billing#/),
      ...{ topic: 'order.placed', messageId: 'm-1' },
      creationTime: '2026-03-01T09:30:00.000Z',
    });
  });

  it('processes a messageId once also when it is dispatched five times at once', async () => {
    const { context, dispatch } = aPlatform({ messaging: [bill] });

    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => dispatch('order.placed', { messageId: 'm-1', payload: {} })),
    );

    const statuses = answers.flatMap(({ body }) => body.results as DispatchResult[]);
    expect(statuses.filter(({ status }) => status === 'PROCESSED')).toHaveLength(1);
    expect(statuses.filter(({ status }) => status === 'DUPLICATE')).toHaveLength(4);
    expect(context.db.items().find(({ pk }) => pk === 'HOST#bill')).toMatchObject({ bills: 1 });
  });

  it('may be repeated when a listener failed: what is done stays done', async () => {
    let isUp = false;
    const fragile = messageListener({ topic: 'order.placed', group: 'fragile' }, async () => {
      if (!isUp) throw new Error('down');
    });
    const { dispatch } = aPlatform({ messaging: [bill, fragile] });

    const failed = await dispatch('order.placed', { messageId: 'm-1', payload: {} });
    isUp = true;
    const repeated = await dispatch('order.placed', { messageId: 'm-1', payload: {} });

    expect(failed.body).toMatchObject({
      status: 500,
      code: 'MQ_LISTENER_FAILED',
      results: [
        { group: 'billing', status: 'PROCESSED' },
        { group: 'fragile', status: 'FAILED' },
      ],
    });
    expect(repeated.body.results).toEqual([
      { group: 'billing', status: 'DUPLICATE' },
      { group: 'fragile', status: 'PROCESSED' },
    ]);
  });

  it('stores what its answer says, also with an Idempotency-Key', async () => {
    let isUp = false;
    const fragile = messageListener({ topic: 'order.placed', group: 'fragile' }, async () => {
      if (!isUp) throw new Error('down');
    });
    const { context, dispatch } = aPlatform({ messaging: [bill, fragile] });
    const again = () => dispatch('order.placed', { payload: {} }, 'call-1');

    const failed = await again();
    const billed = context.db.items().find(({ pk }) => pk === 'HOST#bill');
    isUp = true;
    const repeated = await again();
    const replayed = await again();

    expect(failed.body.results).toMatchObject([
      { group: 'billing', status: 'PROCESSED' },
      { group: 'fragile', status: 'FAILED' },
    ]);
    expect(billed).toMatchObject({ bills: 1 });
    expect(repeated.body.results).toEqual([
      { group: 'billing', status: 'DUPLICATE' },
      { group: 'fragile', status: 'PROCESSED' },
    ]);
    expect(replayed.body).toEqual(repeated.body);
    expect(context.db.items().find(({ pk }) => pk === 'HOST#bill')).toMatchObject({ bills: 1 });
  });

  it('tells what the others have done when a function does not answer, and how to repeat the call', async () => {
    const listen = (group: string) =>
      messageListener({ topic: 'order.placed', group }, async () => undefined);
    const functions = { messaging: [bill], crashing: [listen('stock'), listen('audit')] };
    const { context, dispatch } = aPlatform(functions);

    const { status, body } = await dispatch('order.placed', { payload: {} });
    const repeated = await dispatch('order.placed', { payload: {}, messageId: body.messageId });

    const error = { code: 'Error', message: 'Task timed out, token= ******' };
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'MQ_LISTENER_FAILED' });
    expect(body.results).toEqual([
      { group: 'billing', status: 'PROCESSED' },
      { group: 'stock', status: 'FAILED', error },
      { group: 'audit', status: 'FAILED', error },
    ]);
    expect(repeated.body.results).toMatchObject([
      { group: 'billing', status: 'DUPLICATE' },
      {},
      {},
    ]);
    expect(context.db.items().find(({ pk }) => pk === 'HOST#bill')).toMatchObject({ bills: 1 });
  });

  it('tells callers of two issuers apart who use one Idempotency-Key', async () => {
    const { context, dispatch } = aPlatform({ messaging: [bill] });

    const answers = [
      await dispatch('order.placed', { payload: {} }, 'call-1'),
      await dispatch('order.placed', { payload: {} }, 'call-1', { ...admin, iss: OTHER_ISSUER }),
    ];

    expect(answers[0]?.body.messageId).not.toBe(answers[1]?.body.messageId);
    expect(context.db.items().find(({ pk }) => pk === 'HOST#bill')).toMatchObject({ bills: 2 });
  });

  it('refuses an Idempotency-Key that was used for another topic, and calls nobody', async () => {
    const paid = messageListener({ topic: 'order.paid', group: 'billing' }, bill.handle);
    const { context, dispatch } = aPlatform({ messaging: [bill, paid] });
    await dispatch('order.placed', { payload: {} }, 'call-1');

    const { body } = await dispatch('order.paid', { payload: {} }, 'call-1');

    expect(body).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(context.db.items().find(({ pk }) => pk === 'HOST#bill')).toMatchObject({ bills: 1 });
  });

  it('tells no secret that the error of a listener names', async () => {
    const leaking = messageListener({ topic: 'order.placed', group: 'fragile' }, async () => {
      throw new Error('no connection with password hunter2');
    });

    const { status, text } = await aPlatform({ messaging: [leaking] }).dispatch('order.placed', {
      payload: {},
    });

    expect(status).toBe(500);
    expect(text).toContain('no connection with password ******');
  });

  it('answers DUPLICATE for a messageId that another call has at the same time', async () => {
    const { context, dispatch } = aPlatform({ messaging: [bill] });
    const message = { messageId: 'm-1', payload: {} };

    const answers = await Promise.all(
      ['a', 'b', 'c'].map((key) => dispatch('order.placed', message, key)),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const statuses = answers.flatMap(({ body }) => body.results as DispatchResult[]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([
      ...['DUPLICATE', 'DUPLICATE', 'PROCESSED'],
    ]);
    expect(context.db.items().find(({ pk }) => pk === 'HOST#bill')).toMatchObject({ bills: 1 });
  });

  it('processes equal messageIds of two topics, and none that was received before an upgrade', async () => {
    const seen: string[] = [];
    const [placed, changed] = ['order.placed', 'order.changed'].map((topic) =>
      messageListener({ topic, group: 'g' }, async ({ messageId }) => {
        seen.push(`${topic} ${messageId}`);
      }),
    );
    const { context, dispatch } = aPlatform({
      messaging: [placed, changed].filter((each) => each !== undefined),
    });
    const earlier = { pk: 'received_messages#g#m-0', sk: 'received_messages' };
    await context.unitOfWork(async (unit) => unit.put(earlier));

    for (const messageId of ['m-0', 'm-1']) {
      await dispatch('order.placed', { messageId, payload: {} });
      await dispatch('order.changed', { messageId, payload: {} });
    }

    expect(seen).toEqual(['order.placed m-1', 'order.changed m-1']);
  });

  it('refuses a message that the messageId expression cannot work with', async () => {
    const byOrder = brokerListener<{ order: { id: string } }>(
      { topics: 'a', groupId: 'g', messageId: ({ payload }) => payload.order.id },
      async () => undefined,
    );
    const { dispatch } = aPlatform({ messaging: byOrder });

    const { body } = await dispatch('a', { payload: {} });

    expect(body).toMatchObject({ status: 422, code: 'MQ_MESSAGE_ID_EMPTY' });
  });

  it('gives the listener the trace of the request', async () => {
    const seen: string[] = [];
    const listener = messageListener(
      { topic: 'a', group: 'g' },
      async (_, { traceId }) => void seen.push(traceId),
    );
    const { messaging } = aPlatform({ messaging: [listener] });

    await messaging.call({
      method: 'POST',
      path: '/broker/dispatch?topic=a',
      body: { payload: 1 },
      headers: { 'x-trace-id': 'trace-of-the-request' },
    });

    expect(seen).toEqual(['trace-of-the-request']);
  });

  const strict = brokerListener(
    {
      topics: 'strict',
      groupId: 'strict',
      messageId: '$.payload.id',
      schema: z.object({ id: z.string().optional(), total: z.number() }),
    },
    async () => undefined,
  );

  it.each([
    ['strict', { payload: { total: 1 } }, 422, 'MQ_MESSAGE_ID_EMPTY'],
    ['strict', { payload: { id: 'a', total: 'one' } }, 422, 'MQ_PAYLOAD_INVALID'],
    ['nobody', { payload: {} }, 404, 'MQ_NO_LISTENER'],
    ['constructor', { payload: {} }, 404, 'MQ_NO_LISTENER'],
    ['', { payload: {} }, 400, 'INVALID_PARAMETER'],
    ['strict', {}, 400, 'VALIDATION_FAILED'],
    ['strict', { payload: {}, colour: 1 }, 400, 'UNKNOWN_FIELD'],
    ['strict', '{"payload":', 400, 'INVALID_JSON'],
    ['strict', { payload: { text: 'x'.repeat(2_000_000) } }, 413, 'PAYLOAD_TOO_LARGE'],
  ])('answers topic "%s" with %# by %i %s', async (topic, body, status, code) => {
    const { messaging } = aPlatform({ messaging: strict });

    const answer = await messaging.call({
      method: 'POST',
      path: `/broker/dispatch?topic=${topic}`,
      headers: { 'content-type': 'application/json' },
      body,
    });

    expect(answer.body).toMatchObject({ status, code });
  });

  it('runs the listeners of its own function without an invocation', async () => {
    const context = aContext({
      module: 'messaging',
      host: defineHost({ permissionEvaluator: claimsPermissionEvaluator, listeners: [bill] }),
      svc: { mq: { transport: 'broker', 'broker-restful-enabled': true } },
      topology: { listeners: { 'order.placed': { billing: OWN_FUNCTION } } },
    });
    const messaging = connect(createMessagingModule, context);

    const { body } = await messaging.call({
      method: 'POST',
      path: '/broker/dispatch?topic=order.placed',
      body: { payload: {} },
    });

    expect(body.results).toEqual([{ group: 'billing', status: 'PROCESSED' }]);
  });

  it('exists only when it is switched on, and needs mq:dispatch:add', async () => {
    const context = aContext({ module: 'messaging', svc: { mq: { transport: 'broker' } } });
    const off = connect(createMessagingModule, context);
    const { messaging } = aPlatform({ messaging: [bill] });
    const request = {
      method: 'POST',
      path: '/broker/dispatch?topic=order.placed',
      body: { payload: 1 },
    };

    expect((await off.call(request)).status).toBe(404);
    expect((await messaging.call({ ...request, caller: { sub: 'x' } })).status).toBe(403);
  });
});
