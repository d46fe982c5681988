import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  longestPauseMs,
  pauseMs,
  throttledPauseMs,
} from '../../../shared/messaging/outbox/backoff.ts';
import { dueMsOf, dueSortKey, outboxKeys } from '../../../shared/messaging/outbox/outbox-row.ts';
import {
  consumerDeadLetterId,
  parseConsumerDeadLetterId,
} from '../../../shared/messaging/wire/dead-letter.ts';
import { identifyQueue, queueName } from '../../../shared/messaging/wire/topology.ts';

const instants = fc.integer({ min: 0, max: 999_999_999_999_999 });

describe('the sort key of a due row', () => {
  it('sorts as time does, whatever fractions an instant has', () => {
    fc.assert(
      fc.property(instants, instants, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, part) => {
        const instant = Math.max(a - part, 0);
        const [one, other] = [dueSortKey(instant, 'x'), dueSortKey(b, 'x')];

        expect(one).toMatch(/^\d{15}#x$/);
        expect(one < other).toBe(Math.ceil(instant) < b);
        expect(dueMsOf(other)).toBe(b);
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1e15])('refuses %d', (instant) => {
    expect(() => dueSortKey(instant, 'x')).toThrow(RangeError);
  });
});

describe('the backoff', () => {
  it('doubles from 100 ms up to its cap', () => {
    const pauses = [1, 2, 3, 4, 5, 6].map((resend) => longestPauseMs(resend, 1_000));

    expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('is a whole number from 1 ms to its longest pause, for any number of resends', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 43_200_000 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (resend, cap, random) => {
          const pause = pauseMs(resend, cap, random);

          expect(Number.isInteger(pause)).toBe(true);
          expect(pause).toBeGreaterThanOrEqual(Math.min(cap, 1));
          expect(pause).toBeLessThanOrEqual(longestPauseMs(resend, cap));
        },
      ),
    );
  });

  it('waits at least half a second for a broker that says later', () => {
    expect(throttledPauseMs(0, 0)).toBe(500);
    expect(throttledPauseMs(60_000, 1)).toBe(60_000);
  });
});

describe('a shard', () => {
  const keys = outboxKeys('message', 8);
  const topic = 'order.placed';

  it('is the same for all messages of an ordered key, and within the number of shards', () => {
    fc.assert(
      fc.property(fc.string(), fc.uuid(), fc.uuid(), (key, id, other) => {
        const shard = keys.shardOf({ topic, key, id, sequence: 1 });

        expect(shard).toBe(keys.shardOf({ topic, key, id: other, sequence: 2 }));
        expect(shard).toBeGreaterThanOrEqual(0);
        expect(shard).toBeLessThan(8);
      }),
    );
  });

  it('takes its part of a busy key without an order', () => {
    const counts = new Array<number>(8).fill(0);
    for (let i = 0; i < 8_000; i += 1) {
      const shard = keys.shardOf({ topic, key: 'busy', id: `message-${i}` });
      counts[shard] = (counts[shard] ?? 0) + 1;
    }

    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });
});

describe('the id of a dead letter of a group', () => {
  it('carries group and tracking id through a path, whatever they hold', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (group, trackingId) => {
        const id = consumerDeadLetterId(group, trackingId);

        expect(id).toMatch(/^[A-Za-z0-9._-]+$/);
        expect(parseConsumerDeadLetterId(id)).toEqual({ group, trackingId });
      }),
    );
  });

  it.each(['c.', 'c.%%', 'c.bm90anNvbg', '01920000-0000-7000-8000-000000000001'])(
    'is not %s',
    (id) => {
      expect(parseConsumerDeadLetterId(id)).toBeUndefined();
    },
  );
});

describe('the name of a queue', () => {
  it.each([
    ['svc--billing', { group: 'billing' }],
    ['svc--billing-dead', { group: 'billing', isDead: true, sourceName: 'svc--billing' }],
    ['svc--a--b.fifo', { group: 'a--b', isOrdered: true, sourceName: 'svc--a--b.fifo' }],
    ['svc--x-dead.fifo', { group: 'x', isDead: true, sourceName: 'svc--x.fifo' }],
  ])('%s says whose it is', (name, identity) => {
    expect(identifyQueue(`arn:aws:sqs:eu-west-1:123456789012:${name}`)).toMatchObject(identity);
  });

  it('can be read back for every group', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/).filter((group) => !group.endsWith('-dead')),
        fc.boolean(),
        fc.boolean(),
        (group, isDead, isOrdered) => {
          const name = queueName('svc-dev-1234abcd', group, { isDead, isOrdered });

          expect(identifyQueue(`arn:aws:sqs:::${name}`)).toMatchObject({
            group,
            isDead,
            isOrdered,
          });
          expect(name.length).toBeLessThanOrEqual(80);
        },
      ),
    );
  });
});
