import { describe, expect, it } from 'vitest';
import type { TrackingRow } from '../../../../shared/messaging/consuming/tracking-row.ts';
import type { OutboxRow } from '../../../../shared/messaging/outbox/outbox-row.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import { GROUPS, OUTSIDE, TOPIC, Warehouse } from './a-warehouse.ts';
import { dying } from './dying.ts';

const KEYS = ['A', 'B', 'C'];
const STEPS = 120;
/** `ORDER_SEEDS=200` plays more histories. */
const COUNT = Number(process.env.ORDER_SEEDS ?? 2);
/** The last two are found ones: a message that was passed let its group pass others. */
const SEEDS = [...new Set([...Array.from({ length: COUNT }, (_, i) => i + 1), 21, 23])];

type OnDead = 'continue' | 'block';
const WAYS: readonly OnDead[] = ['continue', 'block'];

interface HistoryOptions {
  /** Whether broker clients send to a queue of others as well. */
  readonly isHanding?: boolean;
  /** Whether the idempotency check is off; the topic stays ordered then: messages without an order have no mark. */
  readonly isUntracked?: boolean;
  /** Whether deploys are frequent, and change `onDead` as well. */
  readonly isChanging?: boolean;
}

/** Share and kinds of what goes wrong with requests at the table. */
const FAULTS = {
  share: 0.06,
  faults: ['throttling', 'conflict', 'internal', 'network', 'answer-lost'],
} as const;

/** A history at random: what can happen to messages, in any order, with faults in every request. */
class History {
  readonly house: Warehouse;
  /** Group, or `outbox`, and id of each message that was dead at some time. */
  readonly everDead = new Set<string>();
  readonly #random: () => number;
  readonly #failures = new Map<string, number>();
  readonly #options: HistoryOptions;
  #isCalm = false;

  constructor(seed: number, onDead: OnDead, options: HistoryOptions = {}) {
    this.#options = options;
    this.#random = seededRandom(seed);
    const maxReceives = this.#pick([4, 1_000]);
    this.house = new Warehouse({
      onDead,
      ...(options.isUntracked ? { mq: { idempotent: { enabled: false } } } : {}),
      maxReceives,
      fails: (group, id) => this.#fails(`${group} ${id}`),
    });
    this.house.shop.context.db.failAtRandom({ ...FAULTS, seed });
  }

  async run(): Promise<void> {
    for (let i = 0; i < STEPS; i += 1) await this.#step();
    await this.#end();
  }

  async #step(): Promise<void> {
    const { house } = this;
    const { db, clock } = house.shop.context;
    const steps: [number, () => unknown][] = [
      [8, () => house.publish(this.#pick(KEYS), this.#int(1, 3)).catch(() => undefined)],
      [8, () => this.#deliver()],
      [4, () => this.#relay()],
      [4, () => clock.advance(this.#int(1, 90) * 1_000)],
      [1, () => this.#judge()],
      [1, () => db.lagBehind(this.#int(0, 6))],
      [1, () => this.#failSends()],
      [this.#deploys(), () => this.#redeploy()],
      [
        this.#options.isHanding ? 8 : 0,
        () => house.hand(this.#pick(KEYS), this.#int(1, 3)).catch(() => undefined),
      ],
    ];
    let at = this.#random() * steps.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, work] of steps) {
      at -= weight;
      if (at < 0) {
        await work();
        return;
      }
    }
  }

  #deploys(): number {
    const { isUntracked, isChanging } = this.#options;
    if (isUntracked) return 0;
    return isChanging ? 3 : 0.3;
  }

  /** A consumer or the drain takes a batch, and dies now and then. */
  async #deliver(): Promise<void> {
    await this.house.carry();
    const { names } = this.house.queues;
    if (names.length === 0) return;
    const queue = this.#pick(names);
    if (this.#random() < 0.8) {
      await this.house.deliver(queue);
      return;
    }
    await dying(this.house.shop, this.#int(0, 20), (hasDied) =>
      this.house.deliver(queue, () => !hasDied()),
    );
  }

  async #relay(): Promise<void> {
    const { shop } = this.house;
    const run = () => shop.relay.runTask('relay');
    await (this.#random() < 0.7
      ? run().catch(() => undefined)
      : dying(shop, this.#int(0, 30), run));
  }

  #failSends(): void {
    const { queues } = this.house.shop.context;
    queues.failure = this.#random() < 0.3 ? new Error('refused') : undefined;
  }

  /** An operator requeues or discards a dead letter. */
  async #judge(): Promise<void> {
    const dead = await this.#dead();
    if (dead.length === 0) return;
    const { id, messageId } = this.#pick(dead);
    if (this.#random() < 0.3) {
      await this.house.discard(id);
      return;
    }
    this.#heal(messageId);
    await this.house.requeue(id);
  }

  async #dead() {
    const dead = await this.house.deadLetters();
    for (const { group, messageId } of dead) this.everDead.add(`${group ?? 'outbox'} ${messageId}`);
    return dead;
  }

  /** A deploy with another `ordered`, once the queues are drained. */
  async #redeploy(): Promise<void> {
    this.#calm();
    await this.house.carry();
    await this.#empty();
    const { isOrdered, onDead } = this.house;
    if (!this.#options.isChanging) this.house.redeploy(!isOrdered);
    else this.house.redeploy(this.#pick([isOrdered, !isOrdered]), this.#pick([onDead, ...WAYS]));
    this.house.shop.context.db.failAtRandom({ ...FAULTS, seed: this.#int(1, 1_000) });
    this.#isCalm = false;
  }

  async #empty(): Promise<void> {
    for (let i = 0; i < 60 && this.house.queues.names.length > 0; i += 1) {
      await this.house.deliverAll();
      this.house.shop.context.clock.advance(61_000);
    }
  }

  /** Everything works, operators requeue what is dead, and nothing waits in the end. */
  async #end(): Promise<void> {
    this.#calm();
    this.#isCalm = true;
    for (let i = 0; i < 60; i += 1) {
      await this.house.settle(2);
      const dead = await this.#dead();
      for (const { id } of dead) await this.house.requeue(id);
      const waits = this.house.shop.rows().some(({ gsi1pk }) => gsi1pk !== undefined);
      if (!waits && this.house.queues.names.length === 0) return;
    }
    throw new Error(`Messages wait for ever: ${JSON.stringify(this.house.queues.names)}`);
  }

  #calm(): void {
    const { db, queues } = this.house.shop.context;
    db.stopFailing();
    db.catchUp();
    queues.failure = undefined;
  }

  #fails(delivery: string): boolean {
    if (this.#isCalm) return false;
    const chance = this.#random();
    const drawn = chance < 0.75 ? 0 : chance < 0.92 ? this.#int(1, 3) : 99;
    const left = this.#failures.get(delivery) ?? drawn;
    this.#failures.set(delivery, left - 1);
    return left > 0;
  }

  #heal(messageId: string): void {
    for (const group of GROUPS) this.#failures.set(`${group} ${messageId}`, 0);
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.#int(0, all.length - 1)] as T;
  }

  #int(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }
}

/** What was published, and what was given up, as the table tells in the end. */
function outcome({ house }: History) {
  const rows = house.shop.rows().filter(({ topic }) => topic === TOPIC);
  const tracking = house.shop.context.db.items() as unknown as readonly TrackingRow[];
  const discarded = (group: string): ReadonlySet<string> =>
    new Set([
      ...rows
        .filter((row) => row.status === 'DISCARDED' && (row.group ?? group) === group)
        .map(({ messageId }) => messageId),
      ...tracking
        .filter((row) => row.status === 'DISCARDED' && row.group === group)
        .map(({ messageId }) => messageId),
    ]);
  const published = rows
    .filter(({ raw }) => raw === undefined)
    .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  return { published, discarded };
}

/** The promise of the groups: nothing is lost, and only what was dead is passed, where it may be. */
function checkGroups(history: History, onDead: OnDead): void {
  const { published, discarded } = outcome(history);
  for (const group of GROUPS) {
    const gone = discarded(group);
    const isDue = (id: string) => !gone.has(id);
    const mayBePassed = (id: string) =>
      onDead === 'continue' &&
      (history.everDead.has(`outbox ${id}`) || history.everDead.has(`${group} ${id}`));
    for (const key of KEYS) {
      const seen = history.house.seen(group, key).filter(isDue);
      const ofKey = published.filter((row) => row.key === key && isDue(row.messageId));
      const inOrder = idsOf(ofKey.filter(({ sequence }) => sequence !== undefined)).filter(
        (id) => !mayBePassed(id),
      );
      expect(seen.toSorted()).toEqual(idsOf(ofKey).toSorted());
      expect(seen.filter((id) => inOrder.includes(id))).toEqual(inOrder);
    }
  }
}

/** What was handed to broker clients, and has come to the queue of others: again only before the next of its group. */
function handed({ house, everDead }: History, key: string) {
  const rows = house.shop
    .rows()
    .filter((row) => row.topic === OUTSIDE && row.key === key && row.status !== 'DISCARDED')
    .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))
    .map(({ messageId, raw = '' }) => ({
      id: (JSON.parse(raw) as { body: string }).body,
      wasDead: everDead.has(`outbox ${messageId}`),
    }));
  const arrived = house.arrived.filter((each) => each.key === key).map(({ id }) => id);
  const isInOrder = new Set(rows.filter(({ wasDead }) => !wasDead).map(({ id }) => id));
  return {
    all: rows.map(({ id }) => id),
    arrived: new Set(arrived),
    inOrder: [...isInOrder],
    arrivedInOrder: arrived
      .filter((id) => isInOrder.has(id))
      .filter((id, at, ids) => id !== ids[at - 1]),
  };
}

const idsOf = (rows: readonly OutboxRow[]): string[] => rows.map(({ messageId }) => messageId);

describe('an ordered topic whose ordered and onDead change while messages wait', () => {
  it.each(SEEDS)(
    'loses none, lets none wait for ever, and passes dead ones only (seed %i)',
    async (seed) => {
      const history = new History(seed, 'block', { isChanging: true });

      await history.run();

      checkGroups(history, 'continue');
    },
    60_000,
  );
});

describe.each(WAYS)('an ordered topic with onDead=%s', (onDead) => {
  it.each(SEEDS)(
    'keeps its promise in a history at random (seed %i)',
    async (seed) => {
      const history = new History(seed, onDead);

      await history.run();

      expect(outcome(history).published.length).toBeGreaterThan(30);
      checkGroups(history, onDead);
    },
    60_000,
  );

  it.each(SEEDS)(
    'keeps it without the idempotency check (seed %i)',
    async (seed) => {
      const history = new History(seed, onDead, { isUntracked: true });

      await history.run();

      checkGroups(history, onDead);
    },
    60_000,
  );

  it.each(SEEDS)(
    'keeps it beside sends of broker clients, which keep the order of their groups (seed %i)',
    async (seed) => {
      const history = new History(seed, onDead, { isHanding: true });

      await history.run();

      checkGroups(history, onDead);
      const all = KEYS.map((key) => handed(history, key));
      expect(all.flatMap((each) => each.all).length).toBeGreaterThan(20);
      for (const each of all) {
        expect([...each.all].filter((id) => !each.arrived.has(id))).toEqual([]);
        expect(each.arrivedInOrder).toEqual(each.inOrder);
      }
    },
    60_000,
  );
});
