import { Problem } from '../../../shared/problems/problem.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { withinGrant } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { Filter } from '../domain/query/filter.ts';
import { parseFilterObject } from '../domain/query/parse-filter.ts';
import { findPage } from '../domain/search/run.ts';
import { isUuid } from '../domain/values/ids.ts';
import type { Searches } from '../queries/searches.ts';
import type { Rehearsal } from '../rehearsals/rehearsal.ts';
import type { ImportRow } from './import-rows.ts';

/** A record that a row has found; of one that a dry run would have stored too long ago to know more, its id. */
export interface FoundRecord {
  readonly id: string;
  readonly version?: number | undefined;
}

export interface StoredRowsDependencies {
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
        const { id, version } = found;
        known.set(row, { id, version });
      }
    }
    return known;
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
