import type { Log } from '../../../shared/primitives/log.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { knotsOf } from '../domain/transfer/knots.ts';
import { independentGroups, ownTargets } from '../domain/transfer/shared-values.ts';
import { problems } from '../errors.ts';
import type { RecordDrafts } from '../records/record-drafts.ts';
import { WRITES_OF_NEW_FILE } from '../records/record-files.ts';
import { isNumbered } from '../records/record-numbers.ts';
import { type BulkResult, createdResult, failedResult, isBroken, isOutage } from './bulk-result.ts';
import type { NewRecordStore } from './new-records.ts';
import type { RowLedger } from './row-ledger.ts';

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
  readonly ledger: RowLedger | undefined;
}

/** Records of one transaction: some that refer to each other belong together. */
type Group = readonly (readonly NewRecord[])[];

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
   * Creates records in groups, their rows first: at about half the price of single calls. Each comes behind those that it
   * refers to; some that refer to each other are stored together or not at all.
   * @param ledger of the step of a job: it gets each result, those that it has no time for are left out, and what fails by no
   *   fault of its own (5xx) is thrown. Without one that is a result, with the id of the record: it may be stored all the same;
   *   it is thrown where all records fail in this way.
   */
  async createMany(
    model: EntityModel,
    bodies: readonly NewBody[],
    principal: Principal,
    ledger?: RowLedger,
  ): Promise<readonly BulkResult[]> {
    const grant = await this.#deps.access.check(model, principal, 'add');
    const creator = { principal, grant, ledger };
    const { records, failed } = await this.#checkAll(model, bodies, creator);
    const isFree = await this.#freeIds(model, bodies, records, principal);
    const taken = records
      .filter((_each, at) => !isFree[at])
      .map(({ index, header: { id } }) => this.#failed(index, problems.recordExists({ id })));
    const free = records.filter((_each, at) => isFree[at]);
    ledger?.add([...failed, ...taken]);
    const results = await this.#createGroups(model, free, creator);
    const all = [...failed, ...taken, ...(await this.#lookedUp(model, results, principal))];
    if (all.length > 0 && all.every(isBroken) && all[0]?.error) throw all[0].error;
    return all;
  }

  async #checkAll(
    model: EntityModel,
    bodies: readonly NewBody[],
    { principal, grant, ledger }: Creator,
  ): Promise<{ readonly records: NewRecord[]; readonly failed: BulkResult[] }> {
    const records: NewRecord[] = [];
    const failed: BulkResult[] = [];
    for (const { index, body } of bodies) {
      try {
        const header = await this.#deps.drafts.created(model, body, principal, grant);
        records.push({ index, body, header });
      } catch (error) {
        failed.push(this.#failed(index, error, ledger));
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
    const groups = groupsOf(model, records);
    const results: BulkResult[] = [];
    const atOnce = creator.ledger ? 1 : PARALLEL;
    for (let at = 0; at < groups.length && !creator.ledger?.isLate(); ) {
      const next = groups.slice(at, at + atOnce);
      const headers = next.map((group) => group.flat().map(({ header }) => header));
      const some = next.slice(0, independentGroups(model, headers));
      at += some.length;
      const done = await Promise.all(some.map((group) => this.#createGroup(model, group, creator)));
      results.push(...done.flat());
    }
    return results;
  }

  async #createGroup(
    model: EntityModel,
    group: Group,
    creator: Creator,
  ): Promise<readonly BulkResult[]> {
    // Records with a parent are checked one by one: the parent may be in the same group.
    // And numbers are taken one after the other.
    const isOneByOne = model.definition.hierarchical || isNumbered(model);
    if (isOneByOne) return this.#createSingly(model, group.flat(), creator);
    try {
      return await this.#deps.catalog.withCurrent(model, async (current) => {
        const now = group.map((knot) =>
          Promise.all(knot.map((each) => this.#asNow(model, current, each, creator))),
        );
        return this.#createAtOnce(current, await Promise.all(now), creator);
      });
    } catch (error) {
      if (!isOutage(error)) return this.#createSingly(model, group.flat(), creator);
      return group
        .flat()
        .map(({ index, header: { id } }) => this.#failed(index, error, creator.ledger, id));
    }
  }

  /** Creates records in one transaction, or, when one of them cannot be created, each knot by itself. */
  async #createAtOnce(
    model: EntityModel,
    group: Group,
    creator: Creator,
  ): Promise<readonly BulkResult[]> {
    const headers = group.flat().map(({ header }) => header);
    const stored = group.flat().map(({ index, header }) => createdResult(index, header.id));
    let others: BulkResult[] | undefined;
    await this.#deps.newRecords.storeTogether(model, headers, creator.principal, {
      stage: (unit) => creator.ledger?.stage(unit, stored),
      apart: async () => {
        others = await this.#createApart(model, group, creator);
        return new Set(others.flatMap(({ id, error }) => (id && !error ? [id] : [])));
      },
    });
    if (!others) creator.ledger?.add(stored);
    return others ?? stored;
  }

  async #createApart(model: EntityModel, group: Group, creator: Creator): Promise<BulkResult[]> {
    const results: BulkResult[] = [];
    for (const knot of group) {
      if (creator.ledger?.isLate()) break;
      const isAlone = knot.length === 1 || group.length === 1;
      results.push(
        ...(isAlone
          ? await this.#createSingly(model, knot, creator)
          : await this.#createGroup(model, [knot], creator)),
      );
    }
    return results;
  }

  async #createSingly(
    model: EntityModel,
    records: readonly NewRecord[],
    creator: Creator,
  ): Promise<BulkResult[]> {
    const { newRecords, catalog } = this.#deps;
    const { ledger, principal } = creator;
    const results: BulkResult[] = [];
    for (const each of records) {
      const { index, header } = each;
      if (ledger?.isLate()) break;
      let result = createdResult(index, header.id);
      try {
        await catalog.withCurrent(model, async (current) => {
          const now = await this.#asNow(model, current, each, creator);
          await newRecords.store(current, now.header, principal, (unit) =>
            ledger?.stage(unit, [result]),
          );
        });
      } catch (error) {
        result = this.#failed(index, error, ledger, header.id);
      }
      ledger?.add([result]);
      results.push(result);
    }
    return results;
  }

  /** The table may have stored what it did not answer for. */
  async #lookedUp(
    model: EntityModel,
    results: readonly BulkResult[],
    principal: Principal,
  ): Promise<readonly BulkResult[]> {
    const open = results.flatMap(({ id, error }) => (id && error ? [id] : []));
    if (open.length === 0) return results;
    const { newRecords, log } = this.#deps;
    const stored = await newRecords.idsInUse(model, open, principal).catch((cause: unknown) => {
      log.warn('What became of new records could not be looked up', { cause });
      return new Set<string>();
    });
    return results.map((each) =>
      each.error && each.id && stored.has(each.id) ? createdResult(each.index, each.id) : each,
    );
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

  /** @param id of the record that may be stored all the same @throws what a step is to be repeated for */
  #failed(index: number, error: unknown, ledger?: RowLedger, id?: string): BulkResult {
    if (!isOutage(error)) return failedResult(index, error, this.#deps.log);
    if (ledger) throw error;
    return { ...failedResult(index, error, this.#deps.log), ...(id && { id }) };
  }
}

/** Records in their order, but each behind those that it refers to, and together with those of a circle. */
function groupsOf(model: EntityModel, records: readonly NewRecord[]): readonly Group[] {
  const size = groupSize(model, records);
  const groups: (readonly NewRecord[])[][] = [];
  let room = 0;
  for (const knot of knotsOf(records, idOf, ({ header }) => ownTargets(model, header))) {
    for (let at = 0; at < knot.length; at += size) {
      const some = knot.slice(at, at + size);
      if (some.length > room) {
        groups.push([]);
        room = size;
      }
      groups.at(-1)?.push(some);
      room -= some.length;
    }
  }
  return groups;
}

const idOf = ({ header }: NewRecord): string => header.id;

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
