import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { DeletionService } from '../deletions/deletion-service.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import { problems } from '../errors.ts';
import type { RecordService } from '../records/record-service.ts';
import type { BulkCreation, NewBody } from './bulk-creation.ts';
import { type BulkResult, failedResult } from './bulk-result.ts';

/** One operation of a bulk call. */
export interface BulkOperation {
  readonly op: 'create' | 'update' | 'delete' | 'restore';
  readonly id?: string | undefined;
  readonly version?: number | undefined;
  readonly data?: JsonObject | undefined;
}

export interface BulkServiceDependencies {
  readonly records: RecordService;
  readonly deletions: Pick<DeletionService, 'delete'>;
  readonly creation: BulkCreation;
  readonly catalog: EntityCatalog;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
}

const PARALLEL = 8;
/** No operation is begun after this time: an answer takes at most 29 s, and records with large values some seconds each. */
const MAX_MS = 15_000;

/** Changes many records at once. */
export class BulkService {
  readonly #deps: BulkServiceDependencies;

  constructor(dependencies: BulkServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Runs operations: each by itself, or all in one transaction. Those that there is no time for are not begun.
   * @throws Problem of the first operation that fails when all belong together; `UNIT_TOO_LARGE`, `OUT_OF_TIME` (422)
   */
  async run(
    model: EntityModel,
    operations: readonly BulkOperation[],
    atomic: boolean,
    principal: Principal,
  ): Promise<readonly BulkResult[]> {
    const endsAt = this.#deps.clock.now() + MAX_MS;
    const refuseLate = (index: number): void => {
      if (index > 0 && this.#deps.clock.now() > endsAt) throw problems.outOfTime({ index });
    };
    if (atomic) {
      refuseRepeated(operations);
      return this.#together(model, operations, principal, refuseLate);
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
      results.push(
        ...(await Promise.all(batch.map((each) => this.#one(model, each, principal, refuseLate)))),
      );
    }
    return results.sort((one, other) => one.index - other.index);
  }

  /** Creates records in groups: at about half the price of single calls. */
  createMany(
    model: EntityModel,
    bodies: readonly NewBody[],
    principal: Principal,
  ): Promise<readonly BulkResult[]> {
    return this.#deps.creation.createMany(model, bodies, principal);
  }

  #together(
    model: EntityModel,
    operations: readonly BulkOperation[],
    principal: Principal,
    refuseLate: (index: number) => void,
  ): Promise<BulkResult[]> {
    const work = this.#deps.unitOfWork(async () => {
      const results: BulkResult[] = [];
      for (const [index, operation] of operations.entries()) {
        refuseLate(index);
        results.push(await this.#apply(model, { ...operation, index }, principal));
      }
      return results;
    });
    return work.catch((error: unknown) => {
      throw sizedByRecords(error, operations.length);
    });
  }

  async #one(
    model: EntityModel,
    operation: BulkOperation & { index: number },
    principal: Principal,
    refuseLate: (index: number) => void,
  ): Promise<BulkResult> {
    try {
      refuseLate(operation.index);
      return await this.#deps.catalog.withCurrent(model, (current) =>
        this.#apply(current, operation, principal),
      );
    } catch (error) {
      return failedResult(operation.index, error, this.#deps.log);
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
      const job = await deletions.delete(model, id, principal, { ifMatch });
      return job ? { index, status: 202, id, jobId: job.id } : { index, status: 204, id };
    }
    const { header } =
      op === 'create'
        ? await records.create(model, data, principal)
        : op === 'update'
          ? await records.update(model, id, data, principal, { ifMatch })
          : await records.restore(model, id, principal);
    return { index, status: op === 'create' ? 201 : 200, id: header.id, version: header.version };
  }
}

/** A refusal of a transaction that is too large, in records of the call. */
function sizedByRecords(error: unknown, records: number): unknown {
  if (!(error instanceof Problem) || error.code !== 'UNIT_TOO_LARGE') return error;
  const { writes, maxWrites, bytes, maxBytes } = error.extensions as Record<string, number>;
  if (!writes || !maxWrites || !bytes || !maxBytes) return error;
  const share = Math.min(maxWrites / writes, maxBytes / bytes);
  const fits = Math.max(1, Math.floor(records * share));
  const size = `Its ${records} records make ${writes} writes (at most ${maxWrites}) and ${bytes} bytes (at most ${maxBytes})`;
  return httpProblems.unitTooLarge(
    { writes, maxWrites, bytes, maxBytes },
    {
      detail: `${error.detail} ${size}: about ${fits} of them fit into one call.`,
      extensions: { writes, maxWrites, bytes, maxBytes, records, fits },
    },
  );
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
