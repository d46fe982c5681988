import type { ItemWriter } from '../../store/item-writer.ts';
import type { Item, Key, Table } from '../../store/table.ts';
import type { UnitOfWork } from '../../store/unit-of-work.ts';
import type { MessageEnvelope } from '../wire/envelope.ts';
import { MAX_KEY, MAX_TOPIC } from '../wire/message-draft.ts';
import { laneKey } from './outbox-row.ts';

/** A message's place among those of its key, as one group gets them. */
export interface Place {
  readonly group: string;
  readonly topic: string;
  readonly key: string | null;
  readonly sequence: number;
  /** Sequence number that the group has to be done with before; 0: nothing. */
  readonly after: number;
  /** As its message was published. */
  readonly onDead?: 'block' | undefined;
}

type Lane = Pick<Place, 'group' | 'topic' | 'key'>;

interface LaneItem extends Item {
  readonly doneSeq?: number;
  /** Place of a dead letter that the key waits for. */
  readonly heldSeq?: number;
  /** Places that were given up before their turn, each behind the one that it would have waited for. */
  readonly passed?: readonly Passed[];
}

type Passed = readonly [after: number, sequence: number];

/** Most bytes of an envelope besides its data; those of the platform have far less. */
const MAX_HEAD_BYTES = 65_536;

/**
 * The place of an envelope in a group; `undefined` when it was published without an order, or is beyond what the platform
 * publishes: the outbox, which keeps what waits for its turn, could not hold it.
 */
export function placeOf(envelope: MessageEnvelope, group: string): Place | undefined {
  const { type: topic, subject: key = null, sequence = '', svcafter, svcondead } = envelope;
  if (svcafter === undefined || !/^[1-9]\d{0,14}$/.test(sequence)) return undefined;
  if (topic.length > MAX_TOPIC || (key?.length ?? 0) > MAX_KEY) return undefined;
  if (Buffer.byteLength(JSON.stringify({ ...envelope, data: null })) > MAX_HEAD_BYTES)
    return undefined;
  const after = Object.hasOwn(svcafter, group) ? (svcafter[group] ?? 0) : 0;
  return { group, topic, key, sequence: Number(sequence), after, onDead: svcondead };
}

/** How far each group has come with each ordered key. An item is kept for ever, as the head of its key is. */
export class Lanes {
  readonly #table: Table;
  readonly #writer: ItemWriter;
  readonly #tableName: string;

  constructor(dependencies: {
    readonly table: Table;
    readonly writer: ItemWriter;
    readonly trackingTable: string;
  }) {
    this.#table = dependencies.table;
    this.#writer = dependencies.writer;
    this.#tableName = dependencies.trackingTable;
  }

  /** The last sequence number that a group is done with: it was processed, discarded, or dead and passed. */
  async done(lane: Lane): Promise<number> {
    return (await this.state(lane)).done;
  }

  /** How far a group has come, and whether a dead letter holds it there. */
  async state(lane: Lane): Promise<{ readonly done: number; readonly isHeld: boolean }> {
    const item = await this.#table.get<LaneItem>(this.#key(lane));
    const done = doneOf(item);
    return { done, isHeld: (item?.heldSeq ?? 0) > done };
  }

  /** Notes that a dead letter holds a lane; it ends when the lane moves on. */
  async hold(place: Place): Promise<void> {
    await this.#writer.mark(this.#key(place), toPlace(place, 'heldSeq'), isBefore(place));
  }

  /** Moves a lane on to a place whose turn it was; one that has come further stays. */
  async moveTo(place: Place): Promise<void> {
    await this.#writer.mark(this.#key(place), toPlace(place), isBefore(place));
  }

  /**
   * Moves a lane on past the dead letter of a place, in the unit that discards or buries it; not when it has passed that
   * before. While it waits for another one, it notes the place to pass it in its turn.
   */
  async stagePassed(unit: UnitOfWork, place: Place, otherwise: () => Error): Promise<void> {
    const item = await this.#table.get<LaneItem>(this.#key(place));
    const done = doneOf(item);
    if (done >= place.sequence) return;
    if (done < place.after) {
      const { update, condition } = noting(place, item);
      unit.update(this.#key(place), update, { condition, otherwise: 'retry' });
    } else {
      unit.update(this.#key(place), toPlace(place), { condition: isBefore(place), otherwise });
    }
  }

  #key(lane: Lane): Key {
    return laneKey(this.#tableName, lane);
  }
}

/** The last place that is done, with those behind it that were given up. */
function doneOf({ doneSeq = 0, passed = [] }: Pick<LaneItem, 'doneSeq' | 'passed'> = {}): number {
  return passed
    .toSorted(([, one], [, other]) => one - other)
    .reduce(
      (done, [after, sequence]) => (after <= done ? Math.max(done, sequence) : done),
      doneSeq,
    );
}

/** Notes a place beside those that are still ahead. */
function noting({ after, sequence }: Place, item: LaneItem | undefined) {
  const { doneSeq = 0, passed: before } = item ?? {};
  const ahead = (before ?? []).filter(([, each]) => each > doneSeq);
  return {
    update: {
      expression: 'SET #type = :type, passed = :passed',
      names: { '#type': 'type' },
      values: { ':type': 'message_tracking', ':passed': joined([...ahead, [after, sequence]]) },
    },
    condition: {
      expression: `(attribute_not_exists(doneSeq) OR doneSeq < :sequence) AND ${before ? 'passed = :before' : 'attribute_not_exists(passed)'}`,
      values: { ':sequence': sequence, ...(before && { ':before': before }) },
    },
  };
}

/** Places that follow one another as one, so that an item holds any number of them. */
function joined(places: readonly Passed[]): readonly Passed[] {
  const found: Passed[] = [];
  for (const [after, sequence] of places.toSorted(([one], [other]) => one - other)) {
    const last = found.at(-1);
    if (last && after <= last[1]) found[found.length - 1] = [last[0], Math.max(last[1], sequence)];
    else found.push([after, sequence]);
  }
  return found;
}

const toPlace = ({ sequence }: Place, attribute: 'doneSeq' | 'heldSeq' = 'doneSeq') => ({
  expression: `SET #type = :type, ${attribute} = :sequence`,
  names: { '#type': 'type' },
  values: { ':type': 'message_tracking', ':sequence': sequence },
});

const isBefore = ({ sequence }: Place) => ({
  expression: 'attribute_not_exists(doneSeq) OR doneSeq < :sequence',
  values: { ':sequence': sequence },
});
