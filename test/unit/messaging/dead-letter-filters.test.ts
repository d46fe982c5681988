import { describe, expect, it } from 'vitest';
import { messageListener } from '../../../shared/messaging/consuming/listener.ts';
import type { DeadLetterSummary } from '../../../shared/messaging/wire/dead-letter.ts';
import { anEnvelope, aShop, type Shop } from './a-shop.ts';

const PATH = '/broker/dead-letter';
const FILTERS = ['topic', 'group', 'source', 'key', 'messageId', 'from', 'to'] as const;
const LONG_KEY = 'K'.repeat(300);

type Filter = Partial<Record<(typeof FILTERS)[number], string>>;

const refusing = (group: string) =>
  messageListener({ topic: 'paid', group }, async () => {
    throw new Error('no connection');
  });

/** A shop with dead letters of both sources, topics, groups and of three keys, one second apart. */
async function withDeadLetters(): Promise<Shop> {
  const shop = aShop({
    listeners: [refusing('billing'), messageListener({ topic: 'x', group: 'x' }, async () => {})],
    mq: {
      relay: { enabled: true, 'max-retries': 0 },
      idempotent: { 'max-retries': 0 },
    },
  });
  const keys = ['A', 'B', LONG_KEY];
  shop.context.bus.mode = 'down';
  for (const [at, topic] of ['paid', 'placed', 'paid', 'placed', 'paid', 'placed'].entries()) {
    shop.context.clock.advance(1_000);
    await shop.context.events.publish(topic, keys[at % 3] ?? null, { at });
  }
  for (const subject of keys) {
    shop.context.clock.advance(1_000);
    await shop.messaging.deliver(anEnvelope({ type: 'paid', subject }));
  }
  return shop;
}

async function listAll(shop: Shop, filter: Filter, size: number): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: unknown; cursor !== null; ) {
    const query = new URLSearchParams({
      ...filter,
      size: String(size),
      ...(cursor === undefined ? {} : { cursor: String(cursor) }),
    });
    const { status, body } = await shop.messaging.call({ method: 'GET', path: `${PATH}?${query}` });
    expect(status, query.toString()).toBe(200);
    ids.push(...(body.content as { id: string }[]).map(({ id }) => id));
    cursor = body.nextCursor;
  }
  return ids;
}

/** What the list says it does, by looking at every dead letter. */
function matching(all: readonly DeadLetterSummary[], filter: Filter): string[] {
  const { from, to, ...equal } = filter;
  return all
    .filter((each) =>
      Object.entries(equal).every(
        ([name, value]) => each[name as keyof DeadLetterSummary] === value.slice(0, 200),
      ),
    )
    .filter(({ deadAt }) => (!from || deadAt >= from) && (!to || deadAt < to))
    .map(({ id }) => id);
}

/** Every subset of the filters, with the values of one dead letter. */
function combinations({ deadAt, ...letter }: DeadLetterSummary): Filter[] {
  const values: Filter = {
    topic: letter.topic,
    ...(letter.group !== null && { group: letter.group }),
    source: letter.source,
    key: letter.key?.startsWith('KK') ? LONG_KEY : (letter.key ?? ''),
    messageId: letter.messageId,
    from: deadAt,
    to: new Date(Date.parse(deadAt) + 3_000).toISOString(),
  };
  return Array.from({ length: 2 ** FILTERS.length }, (_, bits) =>
    Object.fromEntries(
      FILTERS.flatMap((name, at) =>
        bits & (1 << at) && values[name] !== undefined ? [[name, values[name]]] : [],
      ),
    ),
  );
}

describe('the list of dead letters', () => {
  it('shows exactly what every combination of filters selects, page by page', async () => {
    const shop = await withDeadLetters();
    const { body } = await shop.messaging.call({ method: 'GET', path: PATH });
    const all = body.content as DeadLetterSummary[];
    expect(all).toHaveLength(9);

    for (const letter of [all[0], all[4], all[8]] as DeadLetterSummary[]) {
      for (const filter of combinations(letter)) {
        const expected = matching(all, filter);

        expect(await listAll(shop, filter, 2), JSON.stringify(filter)).toEqual(expected);
      }
    }
  });

  it.each([
    [{ from: '9000-01-01T00:00:00Z' }, 0],
    [{ to: '9999-12-31T23:59:59Z' }, 9],
    [{ from: '0000-01-01T00:00:00Z' }, 9],
    [{ from: '2026-03-01T09:00:00Z', to: '2026-03-01T09:00:00Z' }, 0],
    [{ from: '2000-01-01T02:00:00+02:00', to: '2000-01-01T00:00:00Z' }, 0],
  ])('takes the window %j', async (filter, count) => {
    const shop = await withDeadLetters();

    expect(await listAll(shop, filter, 20)).toHaveLength(count);
  });
});

describe('a window that ends before it begins', () => {
  const reversed = { from: '2026-03-02T00:00:00Z', to: '2026-03-01T23:59:59Z' };
  const code = 'WINDOW_REVERSED';

  it('is refused by the list, which names both ends', async () => {
    const path = `${PATH}?${new URLSearchParams(reversed)}`;

    const { status, body } = await aShop().messaging.call({ method: 'GET', path });

    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'INVALID_PARAMETER',
      errors: [
        { parameter: 'from', code, detail: 'must not be later than to' },
        { parameter: 'to', code, detail: 'must not be earlier than from' },
      ],
    });
  });

  it('is refused by the bulk requeue, which names both ends', async () => {
    const { status, body } = await aShop().messaging.call({
      method: 'POST',
      path: `${PATH}/requeue`,
      body: { filter: { topic: 'paid', ...reversed } },
    });

    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [
        { pointer: '/filter/from', code },
        { pointer: '/filter/to', code },
      ],
    });
  });

  it.each(['9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00+23:59', 'yesterday'])(
    'is not hidden behind an instant outside the calendar: %s',
    async (from) => {
      const path = `${PATH}?${new URLSearchParams({ from })}`;

      const { status, body } = await aShop().messaging.call({ method: 'GET', path });

      expect(status).toBe(400);
      expect(body).toMatchObject({ errors: [{ parameter: 'from' }] });
    },
  );
});
