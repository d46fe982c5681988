import { isOpen, type Job, JobFailure, type StepOutcome } from '../../../shared/jobs/job.ts';
import { JobRepository } from '../../../shared/jobs/job-repository.ts';
import { JobRunner } from '../../../shared/jobs/job-runner.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { type Principal, systemPrincipal } from '../../../shared/security/principal.ts';
import type { Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { CaseRemoval } from '../cases/case-removal.ts';
import type { DeploymentService } from '../definitions/deployment-service.ts';
import type { Publication } from '../definitions/publication.ts';
import { workingTenant } from '../definitions/tenancy.ts';
import type { DeployedVersion } from '../domain/definitions/deployed-version.ts';
import { problems } from '../errors.ts';
import type { CaseUse, Used, UsePlace } from '../store/case-use.ts';
import type { DeploymentPurge } from '../store/pending-deployments.ts';
import { CaseWalk, START } from './case-walk.ts';

/** A job that deletes a deployment with its cases. */
export type DeletionJob = Job<'DELETE'>;

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

/** Where a job goes on: it looks for what refuses the deletion before it deletes anything. */
interface Progress {
  readonly phase?: 'LOOK' | 'REMOVE';
  readonly place?: UsePlace | undefined;
  readonly count?: number;
}

/** Cases that a request deletes itself. */
const MAX_IN_REQUEST = 10;
/** Queries with which a request looks for cases. */
const MAX_LOOKS = 25;
/** Times that a request looks again for cases that others start meanwhile. */
const MAX_ROUNDS = 3;
/** Most unfinished jobs that a sweep reads. */
const MAX_SWEPT = 100;

/**
 * Deletes deployments with their cases: the version is unpublished, its cases go, and the deployment goes last, with no
 * case left. Each part may be done over. The sweep of each minute gives jobs a step each.
 */
export class DeploymentCascade {
  readonly #deps: DeploymentCascadeDependencies;
  readonly #walk: CaseWalk;
  readonly #jobs: JobRunner<'DELETE'>;
  readonly #storedJobs: JobRepository;

  constructor(dependencies: DeploymentCascadeDependencies) {
    this.#deps = dependencies;
    this.#walk = new CaseWalk(dependencies);
    const { table, unitOfWork } = dependencies;
    this.#storedJobs = new JobRepository({
      ...{ table, unitOfWork, type: 'WF#@jobs', subjectName: 'deployment' },
    });
    this.#jobs = new JobRunner<'DELETE'>({
      ...{ ...dependencies, clock: dependencies.machine, repository: this.#storedJobs },
      ...{ module: 'workflow', topic: 'workflow.job', events: SWEPT },
    });
    // What has been deleted until then is gone.
    this.#jobs.register('DELETE', { step: (job) => this.#step(job), clear: async () => undefined });
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
    const { count, next } = await this.#walk.look(START, deployed, MAX_LOOKS);
    const isLong = next !== undefined || count > MAX_IN_REQUEST;
    const job = await this.#begin(deployed, principal, isLong);
    if (job) return job;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const left = await this.#walk.remove(START, deployed, { principal });
      if (!left.next && (await this.#finish(deployed, principal))) return undefined;
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

  /** Gives each job its next step. @returns the number of jobs */
  async sweep(): Promise<number> {
    let count = 0;
    for await (const { id } of this.#storedJobs.findOpen(MAX_SWEPT)) {
      try {
        await apart(() => this.#jobs.run({ jobId: id }));
        count += 1;
      } catch (cause) {
        this.#deps.log.error('A deletion of a deployment is done over', { job: id, cause });
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

  /** From now on nobody starts the version; a job for the rest is stored in the same transaction. */
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

  async #step({ input, progress, createdBy }: DeletionJob): Promise<StepOutcome> {
    const { tenantCode, deploymentId } = input as Pick<
      DeployedVersion,
      'tenantCode' | 'deploymentId'
    >;
    const { phase = 'LOOK', place = START, count = 0 } = progress as Progress;
    const listed = await this.#deps.deployments.findListed(tenantCode, deploymentId);
    if (!listed) return { isDone: true };
    const { deployed } = listed;
    const principal = inTheNameOf(createdBy);
    try {
      if (phase === 'LOOK') {
        const found = await this.#walk.look(place, deployed, MAX_LOOKS);
        const total = count + found.count;
        if (found.next) return goOn({ phase, place: found.next, count: total });
        return { ...goOn({ phase: 'REMOVE' }), total };
      }
      const run = { principal };
      const { count: processed, next } = await this.#walk.remove(place, deployed, run);
      if (next) return { ...goOn({ phase, place: next }), processed };
      const isDone = await this.#finish(deployed, principal);
      return isDone ? { isDone, processed } : { ...goOn({ phase }), processed };
    } catch (cause) {
      throw failureOf(cause);
    }
  }

  /** Deletes the deployment once there is no case. @returns whether it is deleted */
  #finish({ tenantCode, deploymentId }: DeployedVersion, principal: Principal): Promise<boolean> {
    faultPoint('workflow.before-cascade-ends');
    return this.#deps.unitOfWork(async (unit) => {
      const listed = await this.#deps.deployments.findListed(tenantCode, deploymentId);
      if (!listed) return true;
      const { count, next } = await this.#walk.look(START, listed.deployed, MAX_LAST_LOOKS);
      if (count > 0 || next) return false;
      const casesGoFor = principal.id;
      await this.#deps.deployments.stageDeleted(unit, listed, principal, { casesGoFor });
      return true;
    });
  }
}

/** The cases of other versions of the workflow are among the rows. */
const MAX_LAST_LOOKS = 1_000;

/** The sweep finds jobs without being told. */
const SWEPT = { publish: async () => ({ messageId: '', status: 'SENT' }) as const };

const subjectOf = ({ tenantCode, deploymentId }: Omit<Used, 'workflowCode'>): string =>
  `${tenantCode}/${deploymentId}`;

const inTheNameOf = (id: string): Principal => ({ ...systemPrincipal, id, username: id });

/** One step for each sweep. */
const goOn = (progress: Progress) => ({ isDone: false, progress: { ...progress }, pauseMs: 0 });

/** A case that another one waits for ends the job; everything else is tried again. */
function failureOf(cause: unknown): unknown {
  const code = 'DEPLOYMENT_CASES_CALLED';
  const isRefused = cause instanceof Problem && cause.code === code;
  return isRefused ? new JobFailure(cause.detail, { ...cause.extensions, code }) : cause;
}
