import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { versionIs } from '../../../shared/store/conditions.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { workingTenant } from '../definitions/tenancy.ts';
import type { Command, Variables } from '../domain/cmmn/index.ts';
import { problems } from '../errors.ts';
import type { RowSearch, StoredWork } from '../store/cases/row-search.ts';
import { stageWorkChange } from '../store/cases/work-items.ts';
import { MissingObjectError, type Packer } from '../store/packed.ts';
import type { CaseCommands, DoneCommand } from './case-commands.ts';
import { sees } from './visibility.ts';

/** A request for work of a topic. */
export interface WorkRequest {
  readonly topic: string;
  readonly workerId: string;
  readonly max: number;
  /** How long the worker has for it (ms). */
  readonly leaseMs: number;
  readonly tenantCode?: string | undefined;
}

/** Work that is leased to a worker. */
export interface LeasedWork extends Omit<StoredWork, 'variables' | 'version'> {
  readonly variables: Variables;
}

/** Report of a worker about failed work. */
export interface FailedWork {
  readonly workerId: string;
  readonly reason?: string | undefined;
  /** Tries that are left; by default one less than before. */
  readonly retries?: number | undefined;
  /** Pause before the next attempt (ms). */
  readonly retryAfterMs?: number | undefined;
}

export interface ExternalWorkDependencies {
  readonly commands: CaseCommands;
  readonly rows: RowSearch;
  readonly packer: Packer;
  readonly unitOfWork: RunUnitOfWork;
  /** System clock: leases do not follow the test clock of a tenant. */
  readonly clock: Clock;
}

/** How long one request looks for unleased work (ms). */
const MAX_TIME_MS = 10_000;
/** Bytes of the variables of one answer, but for those of the first work: a response has 6 MB. */
const MAX_BYTES = 4_000_000;

const bytesInAnswer = (variables: Variables): number =>
  Buffer.byteLength(JSON.stringify(JSON.stringify(variables)));

/** Hands out the work of external worker tasks, and takes back what has become of it. */
export class ExternalWork {
  readonly #deps: ExternalWorkDependencies;

  constructor(dependencies: ExternalWorkDependencies) {
    this.#deps = dependencies;
  }

  /** Leases unleased work, oldest first; work that ends meanwhile or is leased to another worker is left out. */
  async fetch(request: WorkRequest, principal: Principal): Promise<readonly LeasedWork[]> {
    const { topic, max, tenantCode } = request;
    const leased: LeasedWork[] = [];
    let room = MAX_BYTES;
    for await (const work of this.#free(workingTenant(principal, tenantCode), topic, max)) {
      const variables = await this.#variablesOf(work);
      const size = bytesInAnswer(variables ?? {});
      if (leased.length > 0 && size > room) break;
      const lease = variables && (await this.#tryLease(work, request));
      if (!lease) continue;
      const { version: _, ...facts } = work;
      leased.push({ ...facts, ...lease, variables });
      room -= size;
      if (leased.length === max) break;
    }
    return leased;
  }

  /** Unleased work, as much as is found within the time limit. */
  async *#free(tenant: string, topic: string, most: number): AsyncGenerator<StoredWork> {
    const { rows, clock } = this.#deps;
    const end = clock.now() + MAX_TIME_MS;
    for await (const works of rows.works(tenant, topic, most)) {
      for (const work of works) if (isFree(work, toInstant(clock.now()))) yield work;
      if (clock.now() >= end) return;
    }
  }

  /** The variables of work; none, where it is gone meanwhile. */
  async #variablesOf(work: StoredWork): Promise<Variables | undefined> {
    try {
      return (await this.#deps.packer.unpack(work.variables)) as Variables;
    } catch (cause) {
      if (cause instanceof MissingObjectError) return undefined;
      throw cause;
    }
  }

  /** @throws Problem `EXTERNAL_WORK_NOT_FOUND` (404), `LEASE_LOST` (409), or why the engine refuses it */
  async complete(
    id: string,
    {
      workerId,
      variables,
    }: { readonly workerId: string; readonly variables?: Variables | undefined },
    principal: Principal,
  ): Promise<DoneCommand> {
    const work = await this.#leased(id, workerId, principal);
    const command = { type: 'completeExternalWork', planItemInstanceId: id, variables } as const;
    return this.#end(work, command, workerId, principal);
  }

  /**
   * Offers the work again, or, when no try is left, fails its task.
   * @throws Problem `EXTERNAL_WORK_NOT_FOUND` (404), `LEASE_LOST` (409)
   */
  async fail(
    id: string,
    { workerId, reason, retries, retryAfterMs = 0 }: FailedWork,
    principal: Principal,
  ): Promise<{ readonly retriesLeft: number }> {
    const { clock, unitOfWork } = this.#deps;
    const work = await this.#leased(id, workerId, principal);
    const retriesLeft = retries ?? work.retriesLeft - 1;
    if (retriesLeft <= 0) {
      const command = { type: 'failExternalWork', planItemInstanceId: id, reason } as const;
      await this.#end(work, command, workerId, principal);
      return { retriesLeft: 0 };
    }
    const now = clock.now();
    const availableAt = toInstant(now + retryAfterMs);
    const change = {
      ...{ retriesLeft, availableAt, lastFailure: reason },
      leaseUntil: toInstant(now),
    };
    await unitOfWork(async (unit) =>
      stageWorkChange(unit, work, change, {
        condition: versionIs(work.version),
        otherwise: () => problems.leaseLost({ id }),
      }),
    );
    return { retriesLeft };
  }

  /** Ends work that is the worker's also when that is committed. */
  #end(
    found: StoredWork,
    command: Command,
    workerId: string,
    principal: Principal,
  ): Promise<DoneCommand> {
    let work = found;
    let isFresh = true;
    return this.#deps.commands.give({
      caseInstanceId: work.caseInstanceId,
      principal,
      work: () => work,
      command: async () => {
        if (!isFresh) work = await this.#leased(work.id, workerId, principal);
        isFresh = false;
        return command;
      },
    });
  }

  async #leased(id: string, workerId: string, principal: Principal): Promise<StoredWork> {
    const work = await this.#deps.rows.work(id);
    if (!work || !sees(principal, work.tenantCode)) throw problems.externalWorkNotFound({ id });
    const now = toInstant(this.#deps.clock.now());
    const isHeld = work.leaseUntil !== undefined && work.leaseUntil > now;
    if (!isHeld || work.workerId !== workerId) throw problems.leaseLost({ id });
    return work;
  }

  /** Leases work, unless another worker has come first. */
  async #tryLease(
    work: StoredWork,
    { workerId, leaseMs }: WorkRequest,
  ): Promise<{ readonly workerId: string; readonly leaseUntil: string } | undefined> {
    const lease = { workerId, leaseUntil: toInstant(this.#deps.clock.now() + leaseMs) };
    try {
      await this.#deps.unitOfWork(async (unit) =>
        stageWorkChange(unit, work, lease, {
          condition: versionIs(work.version),
          otherwise: () => new TakenError(),
        }),
      );
      return lease;
    } catch (error) {
      if (error instanceof TakenError) return undefined;
      throw error;
    }
  }
}

/** Another worker has the work by now, or it is done. */
class TakenError extends Error {}

const isFree = ({ leaseUntil, availableAt }: StoredWork, now: string): boolean =>
  (leaseUntil === undefined || leaseUntil <= now) &&
  (availableAt === undefined || availableAt <= now);
