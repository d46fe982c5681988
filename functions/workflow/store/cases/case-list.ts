import { MAX_PAGE_WINDOW, type PageTotal } from '../../../../shared/http/paging.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import {
  decodeCursor,
  encodeCursor,
  invalidCursor,
  NOT_OF_THIS_LIST,
} from '../../../../shared/store/cursor.ts';
import type { PageRequest, ReadPage } from '../../../../shared/store/paged-read.ts';
import type { Key, QueryInput, Table } from '../../../../shared/store/table.ts';
import type { CaseHead } from '../../domain/cases/case-facts.ts';
import {
  businessKeyPartition,
  casesOfWorkflow,
  entityPartition,
  headKey,
  statePartition,
} from '../case-keys.ts';
import type { CaseRecords } from './case-records.ts';

/** States of cases. */
export const CASE_STATES = ['active', 'suspended', 'completed', 'terminated', 'failed'] as const;

/** Which cases a list has. */
export interface CaseFilter {
  readonly tenantCode: string;
  readonly states?: readonly CaseHead['state'][] | undefined;
  readonly workflowCode?: string | undefined;
  readonly businessKey?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly startedBy?: string | undefined;
  /** Both included. */
  readonly startedAfter?: string | undefined;
  readonly startedBefore?: string | undefined;
}

/** A partition with rows of cases in order of their start. */
interface Source extends Pick<QueryInput, 'index' | 'partition'> {
  /** What the sort keys begin with. */
  readonly prefix: string;
}

/** Cases looked at for one page, those left out included; then the page ends early with a cursor. */
const MAX_LOOKED_AT = 1_000;
const BATCH = 100;
const FIRST = '0';
const LAST = '~';

/** Lists cases, newest start first. */
export class CaseList {
  readonly #table: Table;
  readonly #records: CaseRecords;

  constructor({ table, records }: { table: Table; records: CaseRecords }) {
    this.#table = table;
    this.#records = records;
  }

  /**
   * One page: a query for each partition, merged by start, and the heads of what it has.
   * @throws Problem `INVALID_PARAMETER` (400) for a cursor of another list, or a page beyond the first 10 000 cases
   */
  async page(
    filter: CaseFilter,
    { page = 0, size, cursor }: PageRequest,
  ): Promise<ReadPage<CaseHead>> {
    const position = cursor === undefined ? undefined : decodeCursor(cursor, filter);
    const skip = position ? 0 : page * size;
    requireWindow(skip + size);
    const found = await this.#walk(filter, skip + size, position && placeIn(position.startKey));
    const number = position?.page ?? page;
    return {
      content: found.heads.slice(skip),
      number,
      size,
      nextCursor:
        found.next && encodeCursor({ page: number + 1, startKey: { place: found.next } }, filter),
    };
  }

  /** How many there are, as far as one request looks; `gte`: there may be more. */
  async count(filter: CaseFilter): Promise<PageTotal> {
    const { heads, next } = await this.#walk(filter, MAX_LOOKED_AT, undefined);
    return { value: heads.length, relation: next === undefined ? 'eq' : 'gte' };
  }

  async #walk(
    filter: CaseFilter,
    wanted: number,
    after: string | undefined,
  ): Promise<{ readonly heads: CaseHead[]; readonly next: string | undefined }> {
    const sources = sourcesOf(filter);
    const heads: CaseHead[] = [];
    let before = after;
    for (let lookedAt = 0; lookedAt < Math.max(MAX_LOOKED_AT, wanted); lookedAt += BATCH) {
      const places = await this.#places(sources, filter, before);
      const fitting = await this.#fitting(places.slice(0, BATCH), filter);
      const taken = fitting.slice(0, wanted - heads.length);
      heads.push(...taken.map(({ head }) => head));
      const end = taken.at(-1)?.place;
      if (heads.length === wanted) return { heads, next: end === places.at(-1) ? undefined : end };
      if (places.length <= BATCH) return { heads, next: undefined };
      before = places[BATCH - 1];
    }
    return { heads, next: before };
  }

  async #fitting(
    places: readonly string[],
    filter: CaseFilter,
  ): Promise<{ readonly place: string; readonly head: CaseHead }[]> {
    const found = await this.#records.heads(places.map(caseOf));
    const byId = new Map(found.map((head) => [head.caseInstanceId, head]));
    return places.flatMap((place) => {
      const head = byId.get(caseOf(place));
      return head && fits(head, filter) ? [{ place, head }] : [];
    });
  }

  /** Places of all sources after one, newest first; one more than a batch where there are more. */
  async #places(
    sources: readonly Source[],
    { startedAfter = FIRST, startedBefore }: CaseFilter,
    before: string | undefined,
  ): Promise<string[]> {
    const pages = await Promise.all(
      sources.map(async ({ prefix, index, partition }) => {
        const { items } = await this.#table.query<Key & Readonly<Record<string, string>>>({
          ...{ index, partition },
          between: { from: prefix + startedAfter, to: prefix + (startedBefore ?? '') + LAST },
          limit: BATCH + 1,
          reverse: true,
          startKey:
            before === undefined ? undefined : startKeyOf({ prefix, index, partition }, before),
        });
        return items.map((item) => String(item[index ? `${index}sk` : 'sk']).slice(prefix.length));
      }),
    );
    return [...new Set(pages.flat())]
      .sort()
      .reverse()
      .slice(0, BATCH + 1);
  }
}

function requireWindow(wanted: number): void {
  if (wanted <= MAX_PAGE_WINDOW) return;
  const detail = `is beyond the first ${MAX_PAGE_WINDOW} entries; use nextCursor instead`;
  throw httpProblems.invalidParameter([
    { parameter: 'page', code: 'PAGE_WINDOW_EXCEEDED', detail },
  ]);
}

/** The narrowest partitions that have all cases of a filter. */
function sourcesOf(filter: CaseFilter): Source[] {
  const { tenantCode, workflowCode, businessKey, entityType, entityId } = filter;
  const states = filter.states ?? CASE_STATES;
  if (entityType !== undefined && entityId !== undefined) {
    const partition = entityPartition(tenantCode, entityType, entityId);
    return [{ index: 'gsi2', partition, prefix: 'CASE#' }];
  }
  if (businessKey !== undefined) {
    return [{ partition: businessKeyPartition(tenantCode, businessKey), prefix: '' }];
  }
  return states.map((state) =>
    workflowCode === undefined
      ? { partition: statePartition(tenantCode, state), prefix: '' }
      : { index: 'gsi1', partition: casesOfWorkflow(tenantCode, workflowCode, state), prefix: '' },
  );
}

/** Rows follow heads with a delay, so what they say of the state is asked of the head too. */
function fits(head: CaseHead, filter: CaseFilter): boolean {
  const { states, workflowCode, businessKey, entityType, entityId, startedBy } = filter;
  const { startedAfter = '', startedBefore = LAST } = filter;
  return (
    (states === undefined || states.includes(head.state)) &&
    is(workflowCode, head.workflowCode) &&
    is(businessKey, head.businessKey) &&
    is(entityType, head.entityType) &&
    is(entityId, head.entityId) &&
    is(startedBy, head.startedBy) &&
    head.startedAt >= startedAfter &&
    head.startedAt <= startedBefore
  );
}

const is = (wanted: string | undefined, value: string | undefined): boolean =>
  wanted === undefined || wanted === value;

const caseOf = (place: string): string => place.slice(place.indexOf('#') + 1);

function placeIn({ place = '' }: Readonly<Record<string, string>>): string {
  if (/^\d{4}-[\dT:.-]+Z#.{1,300}$/.test(place)) return place;
  throw invalidCursor(NOT_OF_THIS_LIST);
}

function startKeyOf({ index, partition, prefix }: Source, place: string): Record<string, string> {
  if (!index) return { pk: partition, sk: place };
  const { pk, sk } = headKey(caseOf(place));
  return { pk, sk, [`${index}pk`]: partition, [`${index}sk`]: prefix + place };
}
