import type { Clock } from '../../primitives/clock.ts';
import type { Condition, Item, Table } from '../../store/table.ts';
import type { UnitOfWork } from '../../store/unit-of-work.ts';
import { groupsOf, type OrderedTopics } from '../wire/topology.ts';
import type { Lanes, Place } from './lanes.ts';
import type { OutboxKeys, OutboxRow } from './outbox-row.ts';

/** How far an ordered key has come. */
export interface Reached {
  /** Every place up to this one was sent, or passed because its message is dead or discarded. */
  readonly sequence: number;
  /** Place of the message that a group got last; groups that are not named begin with the next one. Absent: no order. */
  readonly after?: Readonly<Record<string, number>>;
}

/** A row and, when it belongs to an ordered key, how far that key had come before it. */
export type SendableRow = OutboxRow & { readonly reached?: Reached | undefined };

interface HeadItem extends Item {
  /** Last place that was taken. */
  readonly lastSeq: number;
  readonly sentSeq: number;
  /** Last place whose message was sent to listeners, and their groups. */
  readonly lastSent?: number;
  readonly groups?: readonly string[];
}

/** A queue keeps a message for 14 days. */
const LONGEST_IN_QUEUES_MS = 15 * 24 * 3_600_000;

/** The heads of ordered keys: which places are taken, and how far the sends have come. */
export class KeyOrder {
  readonly #table: Table;
  readonly #keys: OutboxKeys;
  readonly #orderedTopics: OrderedTopics;
  readonly #lanes: Lanes;
  readonly #clock: Clock;

  constructor(dependencies: {
    readonly table: Table;
    readonly keys: OutboxKeys;
    readonly lanes: Lanes;
    readonly clock: Clock;
    readonly orderedTopics: OrderedTopics;
  }) {
    this.#table = dependencies.table;
    this.#keys = dependencies.keys;
    this.#orderedTopics = dependencies.orderedTopics;
    this.#lanes = dependencies.lanes;
    this.#clock = dependencies.clock;
  }

  /** Whether later messages of a key go on past a dead one. A topic that is ordered no more keeps its former way. */
  passesDead({ topic, onDead }: Pick<Place, 'topic' | 'onDead'>): boolean {
    return (this.#orderedTopics[topic]?.onDead ?? onDead) !== 'block';
  }

  /** Reserves the next `count` places of an ordered key. @returns the last one reserved before */
  async stagePlaces(
    unit: UnitOfWork,
    topic: string,
    key: string | null,
    count: number,
  ): Promise<number> {
    const headKey = this.#keys.head(topic, key);
    const head = await this.#table.get<HeadItem>(headKey);
    const last = head?.lastSeq ?? 0;
    unit.update(
      headKey,
      {
        expression: 'SET #type = :type, lastSeq = :next, sentSeq = if_not_exists(sentSeq, :zero)',
        names: { '#type': 'type' },
        values: { ':type': 'message', ':next': last + count, ':zero': 0 },
      },
      {
        condition: head
          ? { expression: 'lastSeq = :last', values: { ':last': last } }
          : { expression: 'attribute_not_exists(pk)' },
        otherwise: 'retry',
      },
    );
    return last;
  }

  /** How far the key of a row has come, in its group if it has one. A row that was passed has no order any more. */
  async reached(row: OutboxRow): Promise<Reached> {
    const { topic, key, group, sequence = 0 } = row;
    if (group !== undefined) return { sequence: await this.#doneBy(group, row) };
    const head = await this.#table.get<HeadItem>(this.#keys.head(topic, key));
    const { sentSeq = 0, lastSent, groups = [] } = head ?? {};
    if (sequence <= sentSeq) return { sequence: sentSeq };
    const known = lastSent === undefined ? [] : groups.map((each) => [each, lastSent] as const);
    return { sequence: sentSeq, after: Object.fromEntries(known) };
  }

  /** How far a group is done. What it did not get while a row waited longer than any queue keeps a message is lost. */
  async #doneBy(group: string, row: OutboxRow): Promise<number> {
    const { topic, key, after = 0, createdAt } = row;
    const lane = { group, topic, key };
    const { done, isHeld } = await this.#lanes.state(lane);
    const hasWaited = this.#clock.now() - Date.parse(createdAt) > LONGEST_IN_QUEUES_MS;
    if (done >= after || isHeld || !hasWaited) return done;
    await this.#lanes.moveTo({ ...lane, sequence: after, after: done });
    return after;
  }

  /**
   * Lets a key go on past a dead row, in the unit that buries or discards the row. A key that has passed it before stays
   * where it is.
   */
  async stagePassed(unit: UnitOfWork, row: OutboxRow, otherwise: () => Error): Promise<void> {
    const { topic, key, sequence, group, after = 0 } = row;
    if (sequence === undefined) return;
    if (group !== undefined) {
      await this.#lanes.stagePassed(unit, { group, topic, key, sequence, after }, otherwise);
    } else if ((await this.reached(row)).sequence === sequence - 1) {
      this.stageMove(unit, row, { wasSent: false, otherwise });
    }
  }

  /** Moves a key on to the place of a row, in the unit that settles the row. */
  stageMove(
    unit: UnitOfWork,
    row: OutboxRow,
    { wasSent, otherwise }: { readonly wasSent: boolean; readonly otherwise: () => Error },
  ): void {
    const { sequence = 0 } = row;
    const condition: Condition = {
      expression: 'sentSeq = :before',
      values: { ':before': sequence - 1 },
    };
    const hasListeners = wasSent && row.raw === undefined;
    // Of those who listen on the bus, it counts for the groups that the message was published for.
    const groups = hasListeners
      ? (groupsOf(this.#orderedTopics, row.topic) ?? row.groups)
      : undefined;
    unit.update(
      this.#keys.head(row.topic, row.key),
      {
        expression: `SET sentSeq = :sequence${hasListeners ? ', lastSent = :sequence' : ''}${groups ? ', #groups = :groups' : ''}`,
        ...(groups ? { names: { '#groups': 'groups' } } : {}),
        values: { ':sequence': sequence, ...(groups ? { ':groups': groups } : {}) },
      },
      { condition, otherwise },
    );
  }
}
