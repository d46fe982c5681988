import type { Job } from '../../../shared/jobs/job.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { IdentitySource } from '../domain/sources/source.ts';
import { problems } from '../errors.ts';
import type { IdentityJobs } from '../jobs/identity-jobs.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import type { SourceSync } from '../sync/source-sync.ts';
import type { AccountPolicy, RemovalInput } from './account-removal.ts';
import type { SourceService } from './source-service.ts';

interface SourceRemovalDependencies {
  readonly sources: Pick<SourceService, 'get'>;
  readonly repository: SourceRepository;
  readonly sync: Pick<SourceSync, 'demandFree' | 'deregister'>;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly jobs: Pick<IdentityJobs, 'start' | 'find'>;
}

/** Deletes sources. */
export class SourceRemoval {
  readonly #deps: SourceRemovalDependencies;

  constructor(dependencies: SourceRemovalDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Deletes a source: it is found no more, and its code and name are free.
   * @param accounts what becomes of its accounts and departments; `keep`: they stay
   * @returns the job that disables or deletes them
   * @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404), `SOURCE_ENABLED`, `SYNC_IN_PROGRESS` (409)
   */
  async delete(
    id: string,
    accounts: AccountPolicy | 'keep',
    principal: Principal,
  ): Promise<Job | undefined> {
    const { sources, repository, sync, unitOfWork, clock } = this.#deps;
    const found = await this.#disabled(id, principal);
    await sync.demandFree(found);
    // A schedule that could not be removed when the source was disabled.
    await sync.deregister(found);
    const stamp = { at: toInstant(clock.now()), by: principal.id };
    return unitOfWork(async (unit) => {
      const source = await sources.get(id, principal);
      if (source.enabled) throw problems.sourceEnabled({ id });
      repository.stageDeleted(unit, source, stamp);
      return accounts === 'keep' ? undefined : this.#start(source, accounts, principal);
    });
  }

  /** @throws Problem `ACCOUNT_REMOVAL_NOT_FOUND` (404) */
  async job(id: string, jobId: string, { tenant = '' }: Principal): Promise<Job> {
    const job = await this.#deps.jobs.find(id, jobId);
    if (job?.kind !== 'REMOVE_ACCOUNTS' || job.input.tenant !== tenant) {
      throw problems.jobNotFound({ id: jobId });
    }
    return job;
  }

  async #start(
    { id, tenant }: IdentitySource,
    policy: AccountPolicy,
    principal: Principal,
  ): Promise<Job> {
    const { repository, jobs } = this.#deps;
    const { rootDepartmentId } = await repository.state(id);
    const input: RemovalInput = { tenant, policy, by: principal.id, rootDepartmentId };
    return jobs.start('REMOVE_ACCOUNTS', id, { ...input }, principal);
  }

  async #disabled(id: string, principal: Principal) {
    const source = await this.#deps.sources.get(id, principal);
    if (source.enabled) throw problems.sourceEnabled({ id });
    return source;
  }
}
