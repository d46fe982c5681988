import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { withinGrant } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { Filter } from '../domain/query/filter.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { findPage } from '../domain/search/run.ts';
import { isUuid } from '../domain/values/ids.ts';
import type { Searches } from '../queries/searches.ts';
import type { Rehearsal } from '../rehearsals/rehearsal.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { BulkResult } from './bulk-creation.ts';
import type { ImportRow } from './import-rows.ts';

/** A step that an interrupted run may have begun. */
export interface Attempt {
  /** Records of the step are not older. */
  readonly since: string;
  /** Which of the ids occur in rows before the step. */
  readonly earlier: (ids: ReadonlySet<string>) => Promise<ReadonlySet<string>>;
  /** Ids of the records that this run of the step has made itself. */
  readonly made: Set<string>;
}

/** A record that a row has found; of one that a dry run would have stored too long ago to know more, its id. */
export interface FoundRecord {
  readonly id: string;
  readonly createdAt?: string | undefined;
  readonly createdBy?: string | undefined;
}

/** What came of the rows of an attempt. */
interface RowsSeen {
  readonly results: readonly BulkResult[];
  /** Records that rows of an upsert have found. */
  readonly known: ReadonlyMap<number, FoundRecord>;
  readonly byRow: ReadonlyMap<number, ImportRow>;
}

export interface StoredRowsDependencies {
  readonly repository: RecordRepository;
  readonly searches: Searches;
}

/** Finds the records that rows of a file have already. */
export class StoredRows {
  readonly #deps: StoredRowsDependencies;

  constructor(dependencies: StoredRowsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Records that the caller sees for the rows of an upsert, by row.
   * @param rehearsal what a dry run has made of records so far
   * @throws Problem `FORBIDDEN` (403) when the key is hidden from the caller
   */
  async known(
    model: EntityModel,
    rows: readonly ImportRow[],
    key: string,
    seen: RecordGrant,
    rehearsal?: Rehearsal,
  ): Promise<Map<number, FoundRecord>> {
    const known = new Map<number, FoundRecord>();
    for (const { row, body } of rows) {
      const value = body[key];
      const wanted = wantedBy(model, key, value);
      if (!wanted) continue;
      const filter = withinGrant(model, wanted, [], seen);
      const order = [{ field: 'id', descending: false }];
      const { records } = await findPage(
        { filter, order, skip: 0, size: 1 },
        this.#deps.searches.open(model, filter, { isConsistent: true }),
      );
      const [stored] = records;
      const found: FoundRecord | undefined = rehearsal
        ? await rehearsal.found(model, { key, value, filter }, stored)
        : stored;
      // Its values may be large, and nobody needs them.
      if (found) {
        const { id, createdAt, createdBy } = found;
        known.set(row, { id, createdAt, createdBy });
      }
    }
    return known;
  }

  /** Rows whose records an interrupted run of this step has made: the first ones with their ids. */
  async storedBefore(
    { code }: EntityModel,
    { results, known, byRow }: RowsSeen,
    principal: Principal,
    { since, earlier, made }: Attempt,
  ): Promise<ReadonlySet<number>> {
    const firsts = new Map<string, number>();
    for (const { index, error } of results) {
      const { body, isFirst } = byRow.get(index) ?? {};
      const id = String(body?.id).toLowerCase();
      const found = known.get(index);
      const isThere = found ? !error && found.id === id : error?.code === 'RECORD_EXISTS';
      if (isThere && isFirst && !made.has(id)) firsts.set(id, index);
    }
    const found = [...known.values()].filter(({ id }) => firsts.has(id));
    const others = new Set(firsts.keys()).difference(new Set(found.map(({ id }) => id)));
    const stored = await this.#deps.repository.findHeaders(code, [...others], true);
    const own = new Set(
      [...stored.values(), ...found]
        .filter(({ createdBy, createdAt = '' }) => createdBy === principal.id && createdAt >= since)
        .map(({ id }) => id),
    );
    // The record belongs to an earlier row: the file contains its id twice.
    const ofEarlierRows = own.size > 0 ? await earlier(own) : new Set<string>();
    return new Set(
      [...own].filter((id) => !ofEarlierRows.has(id)).map((id) => firsts.get(id) ?? 0),
    );
  }
}

/** The condition to have the key of a row; none for a row without one, and for a key that no record can have: the schema refuses it. */
function wantedBy(model: EntityModel, key: string, value: unknown): Filter | undefined {
  if (value === undefined || value === null || typeof value === 'object') return undefined;
  if (key === 'id' && !isUuid(String(value))) return undefined;
  try {
    return parseFilterObject({ [key]: value }, model, 'key');
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return undefined;
    throw error;
  }
}
