import { readAll } from '../../../../shared/store/read-all.ts';
import type { Key, QueryInput, Table } from '../../../../shared/store/table.ts';
import { fitsKey } from '../../domain/cmmn/basics/key-text.ts';
import { entityPartition } from '../case-keys.ts';
import {
  groupsPartition,
  SUBSTITUTES_MARK,
  type TaskList,
  taskKey,
  taskListPartition,
} from '../task-keys.ts';
import { OPEN_OF_ENTITY } from './task-items.ts';

/** A partition with rows of open tasks, in order of creation or of due date. */
export interface TaskSource extends Pick<QueryInput, 'index' | 'partition'> {
  /** What the sort keys begin with, before the places. */
  readonly prefix: string;
}

/** Which places of the sources are read. */
export interface PlaceRange {
  /** Both included; places begin with an instant, or `~` where there is none. */
  readonly from: string;
  readonly to: string;
  readonly isReverse: boolean;
}

const FIRST = '0';
/** After every place, those without an instant too. */
const LAST = '~~';

/** The rows of a list of tasks. */
export const listSource = (tenant: string, list: TaskList, by: 'created' | 'due'): TaskSource => ({
  partition: taskListPartition(tenant, list, by),
  prefix: '',
});

/** The open tasks of a business record, in order of creation. */
export const entitySource = (tenant: string, type: string, id: string): TaskSource => ({
  index: 'gsi2',
  partition: entityPartition(tenant, type, id),
  prefix: OPEN_OF_ENTITY,
});

/** Places between two instants, as far as they are given. */
export const placesBetween = (
  from: string | undefined,
  to: string | undefined,
  isReverse: boolean,
): PlaceRange => ({ from: from ?? FIRST, to: to === undefined ? LAST : `${to}~`, isReverse });

/** Id of the task at a place. */
export const taskAt = (place: string): string => place.slice(place.indexOf('#') + 1);

/** Reads rows of tasks. */
export class TaskRows {
  readonly #table: Table;

  constructor({ table }: { table: Table }) {
    this.#table = table;
  }

  /**
   * Groups of the tenant that have had tasks, and the mark of its substitutes.
   * @param among only these groups, however many others there are; left out: all
   */
  async groups(tenant: string, among?: readonly string[]): Promise<string[]> {
    const partition = groupsPartition(tenant);
    if (!among) return (await readAll<Key>(this.#table, { partition })).map(({ sk }) => sk);
    const names = [SUBSTITUTES_MARK, ...among.filter((name) => name !== '' && fitsKey(name))];
    const keys = names.sort().map((sk) => ({ pk: partition, sk }));
    return (await this.#table.getMany(keys, { consistent: false })).map(({ sk }) => sk);
  }

  /** The first places of all sources after one, each once; a query for each source. */
  async places(
    sources: readonly TaskSource[],
    { from, to, isReverse }: PlaceRange,
    after: string | undefined,
    limit: number,
  ): Promise<string[]> {
    const pages = await Promise.all(
      sources.map((source) => this.#placesOf(source, { from, to, isReverse }, after, limit)),
    );
    const all = [...new Set(pages.flat())].sort();
    return (isReverse ? all.reverse() : all).slice(0, limit);
  }

  async #placesOf(
    source: TaskSource,
    { from, to, isReverse }: PlaceRange,
    after: string | undefined,
    limit: number,
  ): Promise<string[]> {
    const { index, partition, prefix } = source;
    const places: string[] = [];
    let startKey: QueryInput['startKey'] =
      after === undefined ? undefined : startKeyOf(source, after);
    do {
      const { items, lastKey } = await this.#table.query<Key & Readonly<Record<string, string>>>({
        ...{ index, partition, startKey, reverse: isReverse, limit: limit - places.length },
        between: { from: prefix + from, to: prefix + to },
      });
      const keys = items.map((item) => String(item[index ? `${index}sk` : 'sk']));
      places.push(...keys.map((sk) => sk.slice(prefix.length)));
      startKey = lastKey;
    } while (startKey && places.length < limit);
    return places;
  }
}

function startKeyOf({ index, partition, prefix }: TaskSource, place: string) {
  if (!index) return { pk: partition, sk: place };
  return {
    ...taskKey(taskAt(place)),
    [`${index}pk`]: partition,
    [`${index}sk`]: prefix + place,
  };
}
