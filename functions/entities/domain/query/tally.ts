import type { Entry } from '../definitions/model.ts';
import type { RecordHeader } from '../entity/record.ts';
import { average, type Exact, exactOf, plus, toText, ZERO } from '../values/exact.ts';
import { compareKeys } from '../values/folding.ts';
import { type AggregateQuery, type Figure, type GroupKey, tooManyGroups } from './aggregate.ts';
import type { AnswerRoom } from './answer-room.ts';

/** Figures of the records that have the same values. */
export interface Group {
  readonly by: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly sum?: Readonly<Record<string, string | null>>;
  readonly avg?: Readonly<Record<string, string | null>>;
  readonly min?: Readonly<Record<string, unknown>>;
  readonly max?: Readonly<Record<string, unknown>>;
}

const MAX_GROUPS = 1_000;

/** Adds up records by groups. */
export class Tally {
  readonly #query: AggregateQuery;
  readonly #groups = new Map<string, OpenGroup>();
  readonly #room: AnswerRoom;

  constructor(query: AggregateQuery, room: AnswerRoom) {
    this.#query = query;
    this.#room = room;
    if (query.groupBy.length === 0) this.#groups.set('[]', this.#open([]));
  }

  /** @throws Problem `INVALID_PARAMETER` (400) when there are too many groups, `ANSWER_TOO_LARGE` (422) when their values are */
  add(header: RecordHeader): void {
    const { groupBy } = this.#query;
    const values = groupBy.map((key) => memberOf(key, header));
    const name = JSON.stringify(values.map(({ identity }) => identity));
    const known = this.#groups.get(name);
    if (!known && this.#groups.size >= MAX_GROUPS) throw tooManyGroups(MAX_GROUPS);
    const group = known ?? this.#open(values);
    this.#groups.set(name, group);
    group.add(header);
  }

  #open(values: readonly Member[]): OpenGroup {
    this.#room.take(values.map(({ value }) => value));
    return new OpenGroup(values, this.#query.figures, this.#room);
  }

  /** The groups in the order of their values; those without a value first. */
  groups(): Group[] {
    const { groupBy } = this.#query;
    return [...this.#groups.values()]
      .sort((one, other) => compareMembers(one.values, other.values))
      .map((group) => group.closed(groupBy.map(({ name }) => name)));
  }
}

/** What a record is grouped by. */
interface Member {
  /** Tells it apart from others. */
  readonly identity: string | null;
  readonly key: string;
  readonly value: unknown;
}

function memberOf({ field, length }: GroupKey, header: RecordHeader): Member {
  const [entry] = field.entries(header);
  if (!entry) return { identity: null, key: '', value: null };
  if (length === undefined) {
    const identity = field.codec.isExact ? entry.key : String(entry.value);
    return { identity, key: entry.key, value: entry.value };
  }
  const period = entry.key.slice(0, length);
  return { identity: period, key: period, value: period };
}

function compareMembers(one: readonly Member[], other: readonly Member[]): number {
  for (const [at, { identity, key }] of one.entries()) {
    const against = other[at];
    if (!against || identity === against.identity) continue;
    if (identity === null || against.identity === null) return identity === null ? -1 : 1;
    return compareKeys(key, against.key) || compareKeys(identity, against.identity);
  }
  return 0;
}

/** The figure of one field while records are added. */
interface Running {
  sum: Exact;
  count: number;
  best?: Entry;
}

class OpenGroup {
  readonly values: readonly Member[];
  readonly #figures: readonly { readonly figure: Figure; readonly running: Running }[];
  readonly #room: AnswerRoom;
  #count = 0;

  constructor(values: readonly Member[], figures: readonly Figure[], room: AnswerRoom) {
    this.values = values;
    this.#room = room;
    this.#figures = figures.map((figure) => ({ figure, running: { sum: ZERO, count: 0 } }));
  }

  add(header: RecordHeader): void {
    this.#count += 1;
    for (const { figure, running } of this.#figures) {
      const [entry] = figure.field.entries(header);
      if (entry) take(figure, running, entry, this.#room);
    }
  }

  closed(names: readonly string[]): Group {
    const figures: Partial<Record<Figure['kind'], Record<string, unknown>>> = {};
    for (const { figure, running } of this.#figures) {
      const { kind, field } = figure;
      figures[kind] = { ...figures[kind], [field.code]: resultOf(kind, running) };
    }
    const by = Object.fromEntries(names.map((name, at) => [name, this.values[at]?.value ?? null]));
    return { by, count: this.#count, ...(figures as Partial<Group>) };
  }
}

function take({ kind }: Figure, running: Running, entry: Entry, room: AnswerRoom): void {
  if (kind === 'sum' || kind === 'avg') {
    const exact = exactOf(entry.value);
    if (!exact) return;
    running.sum = plus(running.sum, exact);
    running.count += 1;
    return;
  }
  const { best } = running;
  const difference = best
    ? compareKeys(entry.key, best.key) || compareKeys(String(entry.value), String(best.value))
    : 0;
  if (best && (kind === 'min' ? difference >= 0 : difference <= 0)) return;
  room.take(entry.value, best?.value);
  running.best = entry;
}

function resultOf(kind: Figure['kind'], { sum, count, best }: Running): unknown {
  if (kind === 'min' || kind === 'max') return best?.value ?? null;
  if (count === 0) return null;
  return toText(kind === 'sum' ? sum : average(sum, count));
}
