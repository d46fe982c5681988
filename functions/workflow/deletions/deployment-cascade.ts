import { isOpen } from '../../../shared/jobs/job.ts';
import { JobRepository } from '../../../shared/jobs/job-repository.ts';
import { JobRunner } from '../../../shared/jobs/job-runner.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { endsWithin } from '../../../shared/primitives/request-context.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { type Principal, systemPrincipal } from '../../../shared/security/principal.ts';
import type { Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { CaseRemoval } from '../cases/case-removal.ts';
import type { DeploymentService } from '../definitions/deployment-service.ts';
import type { Publication } from '../definitions/publication.ts';
import { workingTenant } from '../definitions/tenancy.ts';
import type { DeployedVersion } from '../domain/definitions/deployed-version.ts';
import { problems } from '../errors.ts';
import type { CaseUse, Used } from '../store/case-use.ts';
import type { DeploymentPurge } from '../store/pending-deployments.ts';
import { CaseWalk, MAX_LOOKS, START } from './case-walk.ts';
import { type DeletionJob, DeploymentDeletion, inTheNameOf } from './deployment-deletion.ts';

export interface DeploymentCascadeDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly machine: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
  readonly caseUse: CaseUse;
  readonly publication: Publication;
  readonly deployments: DeploymentService;
  readonly removal: CaseRemoval;
}

/** Cases that a request deletes itself. */
const MAX_IN_REQUEST = 10;
/** Times that a request looks again for cases that others start meanwhile. */
const MAX_ROUNDS = 3;
/** What a step takes at most (ms): none is begun later. */
const STEP_MS = 25_000;
/** Most unfinished jobs that a sweep reads. */
const MAX_SWEPT = 100;

/**
 * Deletes deployments with their cases: the version is unpublished, its cases go, and the deployment goes last, with no
 * case left. Each part may be done over. The sweep of each minute gives jobs a step each.
 */
export class DeploymentCascade {
  readonly #deps: DeploymentCascadeDependencies;
  readonly #walk: CaseWalk;
  readonly #deletion: DeploymentDeletion;
  readonly #jobs: JobRunner<'DELETE'>;
  readonly #storedJobs: JobRepository;

  constructor(dependencies: DeploymentCascadeDependencies) {
    this.#deps = dependencies;
    this.#walk = new CaseWalk(dependencies);
    this.#deletion = new DeploymentDeletion({ ...dependencies, walk: this.#walk });
    const { table, unitOfWork } = dependencies;
    this.#storedJobs = new JobRepository({
      ...{ table, unitOfWork, type: 'WF#@jobs', subjectName: 'deployment' },
    });
    this.#jobs = new JobRunner<'DELETE'>({
      ...{ ...dependencies, clock: dependencies.machine, repository: this.#storedJobs },
      ...{ module: 'workflow', topic: 'workflow.job', events: SWEPT },
    });
    // What has been deleted until then is gone.
    this.#jobs.register('DELETE', {
      step: (job) => this.#deletion.step(job),
      clear: async () => undefined,
    });
  }

  /**
   * Deletes a deployment and its cases.
   * @returns the job that does it; none when it is done
   * @throws Problem `DEPLOYMENT_NOT_FOUND` (404), `DEPLOYMENT_CASES_CALLED` (409)
   */
  async delete(
    deploymentId: string,
    tenant: string | undefined,
    principal: Principal,
  ): Promise<DeletionJob | undefined> {
    const tenantCode = workingTenant(principal, tenant);
    const { deployed } = await this.#listed(tenantCode, deploymentId);
    const running = await this.#running(subjectOf(deployed));
    if (running) return running;
    const { count, next } = await this.#walk.look(START, deployed, {
      queries: MAX_LOOKS,
    });
    const isLong = next !== undefined || count > MAX_IN_REQUEST;
    const job = await this.#begin(deployed, principal, isLong);
    if (job) return job;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const left = await this.#walk.remove(START, deployed, { principal });
      if (!left.next && (await this.#deletion.finish(deployed, principal))) return undefined;
    }
    throw httpProblems.concurrentUpdate();
  }

  /** @throws Problem `DEPLOYMENT_JOB_NOT_FOUND` (404) */
  async job(
    deploymentId: string,
    id: string,
    tenant: string | undefined,
    principal: Principal,
  ): Promise<DeletionJob> {
    const tenantCode = workingTenant(principal, tenant);
    const job = await this.#jobs.find(subjectOf({ tenantCode, deploymentId }), id);
    if (!job) throw problems.jobNotFound({ id });
    return job;
  }

  /** Stops a job after its step. @throws Problem `DEPLOYMENT_JOB_NOT_FOUND` (404), `DEPLOYMENT_JOB_ENDED` (409) */
  async cancel(
    deploymentId: string,
    id: string,
    tenant: string | undefined,
    principal: Principal,
  ): Promise<DeletionJob> {
    const { subject } = await this.job(deploymentId, id, tenant, principal);
    const answer = await this.#jobs.cancel(subject, id);
    if (answer?.kind !== 'cancelling') throw problems.jobEnded({ id });
    return { ...answer.job, kind: 'DELETE' };
  }

  /** Gives jobs their next step, oldest first, as far as there is time. @returns the number of jobs */
  async sweep(): Promise<number> {
    let count = 0;
    for await (const { id } of this.#storedJobs.findOpen(MAX_SWEPT)) {
      if (endsWithin(STEP_MS, this.#deps.machine)) break;
      try {
        await apart(() => this.#jobs.run({ jobId: id }));
        count += 1;
      } catch (cause) {
        this.#deps.log.error('A deletion of a deployment is repeated', { job: id, cause });
      }
    }
    return count;
  }

  /** Deletes cases that were found behind the end of their deployment; those that others wait for stay. */
  async removeLate(purge: DeploymentPurge): Promise<void> {
    const principal = inTheNameOf(purge.casesGoFor ?? systemPrincipal.id);
    await this.#walk.remove(START, purge, { principal, leavesCalled: true });
  }

  async #listed(tenantCode: string, deploymentId: string) {
    const listed = await this.#deps.deployments.findListed(tenantCode, deploymentId);
    if (!listed) throw problems.deploymentNotFound({ deploymentId });
    return listed;
  }

  async #running(subject: string): Promise<DeletionJob | undefined> {
    for await (const job of this.#storedJobs.findOpen(MAX_SWEPT)) {
      if (job.subject === subject && isOpen(job)) return { ...job, kind: 'DELETE' };
    }
    return undefined;
  }

  /** Unpublishes the version, so that it cannot be started; the job for the rest is stored in the same transaction. */
  #begin(
    { tenantCode, deploymentId }: DeployedVersion,
    principal: Principal,
    isLong: boolean,
  ): Promise<DeletionJob | undefined> {
    return this.#deps.unitOfWork(async (unit) => {
      const { head, deployed } = await this.#listed(tenantCode, deploymentId);
      await this.#deps.publication.unpublish(unit, head, deployed, principal);
      if (!isLong) return undefined;
      const input = { tenantCode, deploymentId };
      return this.#jobs.start('DELETE', subjectOf(deployed), input, principal);
    });
  }
}

/** No message wakes these jobs: the sweep finds them. */
const SWEPT = { publish: async () => ({ messageId: '', status: 'SENT' }) as const };

const subjectOf = ({ tenantCode, deploymentId }: Omit<Used, 'workflowCode'>): string =>
  `${tenantCode}/${deploymentId}`;
