import type { Log } from '../../../shared/primitives/log.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { toProblem } from '../../../shared/problems/to-problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { independentGroups } from '../domain/transfer/shared-values.ts';
import { problems } from '../errors.ts';
import type { RecordDrafts } from '../records/record-drafts.ts';
import { WRITES_OF_NEW_FILE } from '../records/record-files.ts';
import { isNumbered } from '../records/record-numbers.ts';
import type { NewRecordStore } from './new-records.ts';

/** Result of one operation. */
export interface BulkResult {
  readonly index: number;
  readonly status: number;
  readonly id?: string;
  readonly version?: number;
  /** The job that goes on with it. */
  readonly jobId?: string;
  readonly error?: Problem;
}

/** The values of a record to create. */
export interface NewBody {
  /** Place of the operation or row, under which the result is reported. */
  readonly index: number;
  readonly body: JsonObject;
}

export interface BulkCreationDependencies {
  readonly newRecords: NewRecordStore;
  readonly drafts: RecordDrafts;
  readonly access: EntityAccess;
  readonly catalog: EntityCatalog;
  readonly log: Log;
}

/** A record to create: checked by the definition at the start of the call. */
interface NewRecord {
  readonly index: number;
  readonly body: JsonObject;
  readonly header: RecordHeader;
}

/** The caller and the grant for new records. */
interface Creator {
  readonly principal: Principal;
  readonly grant: RecordGrant;
  readonly isOver: (() => boolean) | undefined;
}

/** Transactions at the same time. */
const PARALLEL = 4;
/** Writes of one transaction that new records may fill. */
const MAX_GROUP_WRITES = 80;

/** Creates records in groups, their rows first: at about half the price of single calls. */
export class BulkCreation {
  readonly #deps: BulkCreationDependencies;

  constructor(dependencies: BulkCreationDependencies) {
    this.#deps = dependencies;
  }

  /** The same, with records stored elsewhere. */
  within(newRecords: NewRecordStore): BulkCreation {
    return new BulkCreation({ ...this.#deps, newRecords });
  }

  /**
   * Creates records in groups, their rows first: at about half the price of single calls.
   * @param isOver whether to leave out those that were not begun, which are the last ones; the first is never left out.
   *   With it, those behind one that fails by no fault of its own (5xx) may be left out as well.
   */
  async createMany(
    model: EntityModel,
    bodies: readonly NewBody[],
    principal: Principal,
    isOver?: () => boolean,
  ): Promise<readonly BulkResult[]> {
    const grant = await this.#deps.access.check(model, principal, 'add');
    const creator = { principal, grant, isOver };
    const { records, failed } = await this.#checkAll(model, bodies, creator);
    const isFree = await this.#freeIds(model, bodies, records, principal);
    const taken = records
      .filter((_each, at) => !isFree[at])
      .map(({ index, header: { id } }) => this.#failed(index, problems.recordExists({ id })));
    const free = records.filter((_each, at) => isFree[at]);
    return [...failed, ...taken, ...(await this.#createGroups(model, free, creator))];
  }

  async #checkAll(
    model: EntityModel,
    bodies: readonly NewBody[],
    { principal, grant }: Creator,
  ): Promise<{ readonly records: NewRecord[]; readonly failed: BulkResult[] }> {
    const records: NewRecord[] = [];
    const failed: BulkResult[] = [];
    for (const { index, body } of bodies) {
      try {
        const header = await this.#deps.drafts.created(model, body, principal, grant);
        records.push({ index, body, header });
      } catch (error) {
        failed.push(this.#failed(index, error));
      }
    }
    return { records, failed };
  }

  /** Which records have a free id: the rows of an existing record must not be overwritten. */
  async #freeIds(
    model: EntityModel,
    bodies: readonly NewBody[],
    headers: readonly { readonly header: RecordHeader }[],
    principal: Principal,
  ): Promise<readonly boolean[]> {
    const ids = headers.map(({ header }) => header.id);
    const isNamed = bodies.some(({ body }) => body.id !== undefined);
    const seen = new Set(
      isNamed ? await this.#deps.newRecords.idsInUse(model, ids, principal) : [],
    );
    return ids.map((id) => {
      const isFree = !seen.has(id);
      seen.add(id);
      return isFree;
    });
  }

  async #createGroups(
    model: EntityModel,
    records: readonly NewRecord[],
    creator: Creator,
  ): Promise<BulkResult[]> {
    const size = groupSize(model, records);
    const groups = Array.from({ length: Math.ceil(records.length / size) }, (_, at) =>
      records.slice(at * size, (at + 1) * size),
    );
    const results: BulkResult[] = [];
    const atOnce = creator.isOver ? 1 : PARALLEL;
    for (let at = 0; at < groups.length && !(at > 0 && creator.isOver?.()); ) {
      const next = groups.slice(at, at + atOnce);
      const headers = next.map((group) => group.map(({ header }) => header));
      const some = next.slice(0, atOnce === 1 ? 1 : independentGroups(model, headers));
      at += some.length;
      const done = await Promise.all(some.map((group) => this.#createGroup(model, group, creator)));
      results.push(...done.flat());
      if (creator.isOver && results.some(isBroken)) break;
    }
    return results;
  }

  async #createGroup(
    model: EntityModel,
    group: readonly NewRecord[],
    creator: Creator,
  ): Promise<BulkResult[]> {
    // Records with a parent are checked one by one: the parent may be in the same group.
    // And numbers are taken one after the other.
    const isOneByOne = model.definition.hierarchical || isNumbered(model);
    if (isOneByOne) return this.#createSingly(model, group, creator);
    try {
      return await this.#deps.catalog.withCurrent(model, async (current) => {
        const now = group.map((each) => this.#asNow(model, current, each, creator));
        return this.#createAtOnce(current, await Promise.all(now), creator);
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return this.#createSingly(model, group, creator);
    }
  }

  /** Creates records in one transaction, or, when one of them cannot be created, each by itself. */
  async #createAtOnce(
    model: EntityModel,
    group: readonly NewRecord[],
    creator: Creator,
  ): Promise<BulkResult[]> {
    const headers = group.map(({ header }) => header);
    let results: BulkResult[] | undefined;
    await this.#deps.newRecords.storeTogether(model, headers, creator.principal, async () => {
      results = await this.#createSingly(model, group, creator);
      return new Set(results.flatMap(({ id }) => id ?? []));
    });
    return (
      results ?? group.map(({ index, header: { id } }) => ({ index, status: 201, id, version: 1 }))
    );
  }

  async #createSingly(
    model: EntityModel,
    group: readonly NewRecord[],
    creator: Creator,
  ): Promise<BulkResult[]> {
    const { newRecords, catalog } = this.#deps;
    const results: BulkResult[] = [];
    for (const each of group) {
      const { index, header } = each;
      if (results.length > 0 && creator.isOver?.()) break;
      try {
        await catalog.withCurrent(model, async (current) => {
          const now = await this.#asNow(model, current, each, creator);
          return newRecords.store(current, now.header, creator.principal);
        });
        results.push({ index, status: 201, id: header.id, version: 1 });
      } catch (error) {
        const failed = this.#failed(index, error);
        results.push(failed);
        if (creator.isOver && isBroken(failed)) break;
      }
    }
    return results;
  }

  /** The new record, checked again if the definition has changed. */
  async #asNow(
    model: EntityModel,
    current: EntityModel,
    each: NewRecord,
    { principal, grant }: Creator,
  ): Promise<NewRecord> {
    if (current === model) return each;
    const body = { ...each.body, id: each.header.id };
    return { ...each, header: await this.#deps.drafts.created(current, body, principal, grant) };
  }

  #failed(index: number, error: unknown): BulkResult {
    return failedResult(index, error, this.#deps.log);
  }
}

/** Whether an operation has failed by no fault of its own. */
export const isBroken = ({ status }: BulkResult): boolean => status >= 500;

/** The result of an operation that failed; what the caller did not cause is logged. */
export function failedResult(index: number, error: unknown, log: Log): BulkResult {
  const problem = toProblem(error);
  if (problem.status >= 500) log.error('An operation of a bulk call failed', { cause: error });
  return { index, status: problem.status, error: problem };
}

/** Records of one transaction: each has its header, claims and checks. */
function groupSize({ definition }: EntityModel, records: readonly NewRecord[]): number {
  const references = definition.fields.filter(({ reference }) => reference !== undefined).length;
  const { history, events } = definition.options;
  const extras = (history ? 1 : 0) + (events === 'none' ? 0 : 1);
  const fileFields = definition.fields.filter(({ file }) => file !== undefined);
  const filesOf = ({ header: { values } }: NewRecord): number =>
    fileFields.filter(({ code }) => typeof values[code] === 'string').length;
  const files = Math.max(0, ...records.map(filesOf));
  const others = definition.uniques.length + references * 2 + files * WRITES_OF_NEW_FILE;
  const perRecord = 2 + others + extras;
  return Math.max(1, Math.min(25, Math.floor(MAX_GROUP_WRITES / perRecord)));
}
