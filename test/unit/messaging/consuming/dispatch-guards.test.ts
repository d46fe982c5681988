import { describe, expect, it } from 'vitest';
import { DISPATCH_TASK } from '../../../../shared/messaging/consuming/dispatcher.ts';
import {
  type HandleMessage,
  type Listener,
  messageListener,
} from '../../../../shared/messaging/consuming/listener.ts';
import { notExists } from '../../../../shared/store/conditions.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const bill = { pk: 'HOST#bill', sk: 'bill' };
const message = {
  ...{ messageId: 'm-1', topic: 'order.placed', key: null, payload: {}, headers: {} },
  ...{ source: '/svc/shop', traceId: 't' },
};

/** Writes of a listener that only one of two calls can make. */
const guarded: Readonly<Record<string, HandleMessage>> = {
  'a guard of its own': async (_, { uow }) =>
    uow.put(
      { ...bill, bills: 1 },
      { condition: notExists, otherwise: () => new Error('There is a bill already') },
    ),
  'a guard without an error': async (_, { uow }) =>
    uow.put({ ...bill, bills: 1 }, { condition: notExists }),
  'a guard that repeats the unit': async (_, { uow }) =>
    uow.put({ ...bill, bills: 1 }, { condition: notExists, otherwise: 'retry' }),
  'a look at what is there': async (_, { uow, items }) => {
    if (await items.get(bill)) throw new Error('There is a bill already');
    uow.put({ ...bill, bills: 1 }, { condition: notExists, otherwise: 'retry' });
  },
};

/** The listeners of a function; both calls of the first two have looked for the mark before either goes on. */
function aFunction(handle: HandleMessage) {
  const waiting = Promise.withResolvers<void>();
  let calls = 0;
  const listener: Listener = messageListener(
    { topic: 'order.placed', group: 'billing' },
    async (...args) => {
      calls += 1;
      if (calls === 2) waiting.resolve();
      await waiting.promise;
      await handle(...args);
    },
  );
  const context = aContext({ module: 'messaging' });
  const { runTask } = connect(() => ({ routes: [], listeners: [listener] }), context);
  const dispatch = async () =>
    (await runTask(DISPATCH_TASK, message)) as readonly { readonly status: string }[];
  return { context, dispatch };
}

describe('a message that is dispatched twice at once', () => {
  it.each(Object.keys(guarded))(
    'is DUPLICATE for the second call when its listener writes behind %s',
    async (name) => {
      const { context, dispatch } = aFunction(guarded[name] as HandleMessage);

      const answers = await Promise.all([dispatch(), dispatch()]);

      expect(answers.flat().map(({ status }) => status)).toEqual(
        expect.arrayContaining(['PROCESSED', 'DUPLICATE']),
      );
      expect(context.db.items().find(({ pk }) => pk === bill.pk)).toMatchObject({ bills: 1 });
    },
  );

  it('has failed for a listener whose guard does not hold for another reason', async () => {
    const { context, dispatch } = aFunction(guarded['a guard of its own'] as HandleMessage);
    await context.unitOfWork(async (unit) => unit.put({ ...bill, bills: 1 }));

    const answers = await Promise.all([dispatch(), dispatch()]);

    expect(answers.flat()).toEqual([
      expect.objectContaining({ status: 'FAILED' }),
      expect.objectContaining({ status: 'FAILED' }),
    ]);
  });
});
