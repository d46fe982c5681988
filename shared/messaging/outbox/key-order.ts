import type { Condition, Item, Table } from '../../store/table.ts';
import type { UnitOfWork } from '../../store/unit-of-work.ts';
import { groupsOf, type OrderedTopics } from '../wire/topology.ts';
import type { OutboxKeys, OutboxRow } from './outbox-row.ts';

/** How far an ordered key has come. */
export interface Reached {
  /** Every place up to this one was sent, or passed because its message is dead or discarded. */
  readonly sequence: number;
  /** Place of the message that a group got last; groups that are not named begin with the next one. */
  readonly after: Readonly<Record<string, number>>;
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

const NOTHING: Reached = { sequence: 0, after: {} };

/** The heads of ordered keys: which places are taken, and how far the sends have come. */
export class KeyOrder {
  readonly #table: Table;
  readonly #keys: OutboxKeys;
  readonly #orderedTopics: OrderedTopics;

  constructor(dependencies: {
    readonly table: Table;
    readonly keys: OutboxKeys;
    readonly orderedTopics: OrderedTopics;
  }) {
    this.#table = dependencies.table;
    this.#keys = dependencies.keys;
    this.#orderedTopics = dependencies.orderedTopics;
  }

  /** Whether later messages of a key are sent after a dead one. */
  passesDead({ topic }: Pick<OutboxRow, 'topic'>): boolean {
    return this.#orderedTopics[topic]?.onDead !== 'block';
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

  /** How far the key of a row has come. A row that was passed follows on nothing. */
  async reached({ topic, key, sequence = 0 }: OutboxRow): Promise<Reached> {
    const head = await this.#table.get<HeadItem>(this.#keys.head(topic, key));
    if (!head) return NOTHING;
    const { sentSeq, lastSent, groups = [] } = head;
    const isKnown = lastSent !== undefined && sequence > sentSeq;
    const after = isKnown ? groups.map((group) => [group, lastSent] as const) : [];
    return { sequence: sentSeq, after: Object.fromEntries(after) };
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
    // On the bus nobody knows who listens; the groups of before have their places still.
    const groups = hasListeners ? groupsOf(this.#orderedTopics, row.topic) : undefined;
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
