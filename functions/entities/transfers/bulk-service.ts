import type { Log } from '../../../shared/primitives/log.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { toProblem } from '../../../shared/problems/to-problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { type EntityCatalog, isStale } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { indexRows } from '../domain/records/index-rows.ts';
import { problems } from '../errors.ts';
import type { DeletionService } from '../records/deletion-service.ts';
import type { RecordService } from '../records/record-service.ts';
import type { RecordWriter } from '../records/record-writer.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { EarlyRows, RowJournal } from '../store/row-journal.ts';

/** One operation of a bulk call. */
export interface BulkOperation {
  readonly op: 'create' | 'update' | 'delete' | 'restore';
  readonly id?: string | undefined;
  readonly version?: number | undefined;
  readonly data?: JsonObject | undefined;
}

/** Result of one operation. */
export interface BulkResult {
  readonly index: number;
  readonly status: number;
  readonly id?: string;
  readonly version?: number;
  readonly error?: Problem;
}

export interface BulkServiceDependencies {
  readonly records: RecordService;
  readonly deletions: DeletionService;
  readonly repository: RecordRepository;
  readonly journal: RowJournal;
  readonly writer: RecordWriter;
  readonly access: EntityAccess;
  readonly catalog: EntityCatalog;
  readonly unitOfWork: RunUnitOfWork;
  readonly log: Log;
}

/** A record to create: checked by the definition of the call's beginning. */
interface NewRecord {
  readonly index: number;
  readonly body: JsonObject;
  readonly header: RecordHeader;
}

/** Who creates records, and what that one may. */
interface Creator {
  readonly principal: Principal;
  readonly grant: RecordGrant;
}

const PARALLEL = 8;
/** Writes of one transaction that new records may fill. */
const MAX_GROUP_WRITES = 80;

/** Changes many records at once. */
export class BulkService {
  readonly #deps: BulkServiceDependencies;

  constructor(dependencies: BulkServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Runs operations: each by itself, or all in one transaction.
   * @throws Problem of the first operation that fails when all belong together; `UNIT_TOO_LARGE` (422)
   */
  async run(
    model: EntityModel,
    operations: readonly BulkOperation[],
    atomic: boolean,
    principal: Principal,
  ): Promise<readonly BulkResult[]> {
    if (atomic) {
      refuseRepeated(operations);
      return this.#together(model, operations, principal);
    }
    const results: BulkResult[] = [];
    const creates = operations.flatMap(({ op, data = {} }, index) =>
      op === 'create' ? [{ index, body: data }] : [],
    );
    if (creates.length > 0) results.push(...(await this.createMany(model, creates, principal)));
    const others = operations
      .map((operation, index) => ({ ...operation, index }))
      .filter(({ op }) => op !== 'create');
    for (let at = 0; at < others.length; at += PARALLEL) {
      const batch = others.slice(at, at + PARALLEL);
      results.push(...(await Promise.all(batch.map((each) => this.#one(model, each, principal)))));
    }
    return results.sort((one, other) => one.index - other.index);
  }

  /** Creates records in groups, their rows first: at about half the price of single calls. */
  async createMany(
    model: EntityModel,
    bodies: readonly { readonly index: number; readonly body: JsonObject }[],
    principal: Principal,
  ): Promise<readonly BulkResult[]> {
    const grant = await this.#deps.access.check(model, principal, 'add');
    const results: BulkResult[] = [];
    const headers: NewRecord[] = [];
    for (const { index, body } of bodies) {
      try {
        headers.push({
          index,
          body,
          header: await this.#deps.records.newHeader(model, body, principal, grant),
        });
      } catch (error) {
        results.push(this.#failed(index, error));
      }
    }
    const isFree = await this.#freeIds(model, bodies, headers);
    const free = headers.filter((_each, at) => isFree[at]);
    for (const [at, { index, header }] of headers.entries()) {
      if (!isFree[at]) results.push(this.#failed(index, problems.recordExists({ id: header.id })));
    }
    const size = groupSize(model);
    const groups = Array.from({ length: Math.ceil(free.length / size) }, (_, at) =>
      free.slice(at * size, (at + 1) * size),
    );
    for (let at = 0; at < groups.length; at += PARALLEL / 2) {
      const done = await Promise.all(
        groups
          .slice(at, at + PARALLEL / 2)
          .map((group) => this.#createGroup(model, group, { principal, grant })),
      );
      results.push(...done.flat());
    }
    return results;
  }

  /** Which records have an id that is not taken: rows of one that is there are not to be written over. */
  async #freeIds(
    { code }: EntityModel,
    bodies: readonly { readonly body: JsonObject }[],
    headers: readonly { readonly header: RecordHeader }[],
  ): Promise<readonly boolean[]> {
    const seen = new Set<string>();
    if (bodies.some(({ body }) => body.id !== undefined)) {
      const ids = headers.map(({ header }) => header.id);
      for (let at = 0; at < ids.length; at += 100) {
        const some = ids.slice(at, at + 100);
        for (const id of (await this.#deps.repository.findHeaders(code, some, false)).keys())
          seen.add(id);
      }
    }
    return headers.map(({ header: { id } }) => {
      const isFree = !seen.has(id);
      seen.add(id);
      return isFree;
    });
  }

  async #createGroup(
    model: EntityModel,
    group: readonly NewRecord[],
    creator: Creator,
  ): Promise<BulkResult[]> {
    // Records with a parent are checked one by one: the parent may be in the same group.
    if (model.definition.hierarchical) return this.#createSingly(model, group, creator);
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
    const { code, definition } = model;
    const headers = group.map(({ header }) => header);
    const rows = headers.flatMap((header) =>
      indexRows(model, header).map((row) => ({ row, id: header.id })),
    );
    const early = await this.#deps.journal.write(code, definition.options.shards, rows);
    try {
      await this.#commit(model, headers, early, creator.principal);
      return group.map(({ index, header }) => ({ index, status: 201, id: header.id, version: 1 }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const results = isStale(error) ? [] : await this.#createSingly(model, group, creator);
      const stored = new Set(results.map(({ id }) => id));
      await early.takeBack(({ id }) => !stored.has(id));
      if (isStale(error)) throw error;
      return results;
    }
  }

  async #createSingly(
    model: EntityModel,
    group: readonly NewRecord[],
    creator: Creator,
  ): Promise<BulkResult[]> {
    const { records, catalog } = this.#deps;
    const results: BulkResult[] = [];
    for (const each of group) {
      const { index, header } = each;
      try {
        await catalog.withCurrent(model, async (current) => {
          const now = await this.#asNow(model, current, each, creator);
          return records.store(current, now.header, creator.principal);
        });
        results.push({ index, status: 201, id: header.id, version: 1 });
      } catch (error) {
        results.push(this.#failed(index, error));
      }
    }
    return results;
  }

  /** A new record under the definition that is in force by now. */
  async #asNow(
    model: EntityModel,
    current: EntityModel,
    each: NewRecord,
    { principal, grant }: Creator,
  ): Promise<NewRecord> {
    if (current === model) return each;
    const body = { ...each.body, id: each.header.id };
    return { ...each, header: await this.#deps.records.newHeader(current, body, principal, grant) };
  }

  #commit(
    model: EntityModel,
    headers: readonly RecordHeader[],
    early: EarlyRows,
    principal: Principal,
  ): Promise<void> {
    const { unitOfWork, writer } = this.#deps;
    return unitOfWork(async (unit) => {
      early.commitWith(unit);
      for (const after of headers) {
        await writer.stage(unit, model, {
          action: 'CREATED',
          before: undefined,
          after,
          principal,
          otherwise: () => problems.recordExists({ id: after.id }),
          rowsAreWritten: true,
        });
      }
    });
  }

  #together(
    model: EntityModel,
    operations: readonly BulkOperation[],
    principal: Principal,
  ): Promise<BulkResult[]> {
    return this.#deps.unitOfWork(async () => {
      const results: BulkResult[] = [];
      for (const [index, operation] of operations.entries()) {
        results.push(await this.#apply(model, { ...operation, index }, principal));
      }
      return results;
    });
  }

  async #one(
    model: EntityModel,
    operation: BulkOperation & { index: number },
    principal: Principal,
  ): Promise<BulkResult> {
    try {
      return await this.#deps.catalog.withCurrent(model, (current) =>
        this.#apply(current, operation, principal),
      );
    } catch (error) {
      return this.#failed(operation.index, error);
    }
  }

  async #apply(
    model: EntityModel,
    { op, id = '', version, data = {}, index }: BulkOperation & { index: number },
    principal: Principal,
  ): Promise<BulkResult> {
    const { records, deletions } = this.#deps;
    const ifMatch = version === undefined ? undefined : String(version);
    if (op === 'delete') {
      await deletions.delete(model, id, principal, { ifMatch });
      return { index, status: 204, id };
    }
    const { header } =
      op === 'create'
        ? await records.create(model, data, principal)
        : op === 'update'
          ? await records.update(model, id, data, principal, { ifMatch })
          : await records.restore(model, id, principal);
    return { index, status: op === 'create' ? 201 : 200, id: header.id, version: header.version };
  }

  #failed(index: number, error: unknown): BulkResult {
    const problem = toProblem(error);
    if (problem.status >= 500)
      this.#deps.log.error('An operation of a bulk call failed', { cause: error });
    return { index, status: problem.status, error: problem };
  }
}

/** A transaction changes a record once. @throws Problem `VALIDATION_FAILED` (400) */
function refuseRepeated(operations: readonly BulkOperation[]): void {
  const seen = new Map<string, number>();
  const errors = operations.flatMap(({ op, id, data }, index) => {
    const [own, member] = op === 'create' ? [data?.id, 'data/id'] : [id, 'id'];
    if (typeof own !== 'string') return [];
    const first = seen.get(own.toLowerCase());
    seen.set(own.toLowerCase(), first ?? index);
    if (first === undefined) return [];
    const detail = `repeats the record of operation ${first}, which is not possible in an atomic call`;
    return [{ pointer: `/operations/${index}/${member}`, code: 'DUPLICATE', detail }];
  });
  if (errors.length > 0) throw httpProblems.validationFailed(errors);
}

/** Records of one transaction: each has its header, claims and checks. */
function groupSize({ definition }: EntityModel): number {
  const references = definition.fields.filter(({ reference }) => reference !== undefined).length;
  const { history, events } = definition.options;
  const extras = (history ? 1 : 0) + (events === 'none' ? 0 : 1);
  const perRecord = 2 + definition.uniques.length + references * 2 + extras;
  return Math.max(1, Math.min(25, Math.floor(MAX_GROUP_WRITES / perRecord)));
}
