import {
  type Job,
  JobFailure,
  failureOf as jobFailureOf,
  type StepOutcome,
} from '../../../shared/jobs/job.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import { toProblem } from '../../../shared/problems/to-problem.ts';
import { type Principal, systemPrincipal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DeploymentService } from '../definitions/deployment-service.ts';
import type { DeployedVersion } from '../domain/definitions/deployed-version.ts';
import type { UsePlace } from '../store/case-use.ts';
import { type CaseWalk, START } from './case-walk.ts';

/** A job that deletes a deployment with its cases. */
export type DeletionJob = Job<'DELETE'>;

export interface DeploymentDeletionDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly deployments: DeploymentService;
  readonly walk: CaseWalk;
  readonly log: Log;
}

/** Where a job goes on: it looks for what refuses the deletion before it deletes anything. */
interface Progress {
  readonly phase?: 'LOOK' | 'REMOVE';
  readonly place?: UsePlace | undefined;
  readonly count?: number;
  /** Steps since one has achieved something. */
  readonly vain?: number;
}

/** Queries with which a request looks for cases. */
export const MAX_LOOKS = 25;
/** The cases of other versions of the workflow are among the rows. */
const MAX_LAST_LOOKS = 1_000;
/** Steps that may follow each other without any result. */
const MAX_VAIN = 10;

/** Deletes a deployment whose cases go first, in steps of a job or at once. */
export class DeploymentDeletion {
  readonly #deps: DeploymentDeletionDependencies;

  constructor(dependencies: DeploymentDeletionDependencies) {
    this.#deps = dependencies;
  }

  /** Looks for what refuses the deletion, then deletes cases, then the deployment. @throws JobFailure when it is refused */
  async step({ input, progress, createdBy }: DeletionJob): Promise<StepOutcome> {
    const { tenantCode, deploymentId } = input as Pick<
      DeployedVersion,
      'tenantCode' | 'deploymentId'
    >;
    const { phase = 'LOOK', place = START, count = 0, vain = 0 } = progress as Progress;
    const { deployments, log } = this.#deps;
    const listed = await deployments.findListed(tenantCode, deploymentId);
    if (!listed) return { isDone: true };
    const { deployed } = listed;
    const principal = inTheNameOf(createdBy);
    try {
      if (phase === 'LOOK') {
        const found = await this.#deps.walk.look(place, deployed, MAX_LOOKS);
        const total = count + found.count;
        if (found.next) return goOn({ phase, place: found.next, count: total });
        return { ...goOn({ phase: 'REMOVE' }), total };
      }
      const run = { principal };
      const { count: processed, next } = await this.#deps.walk.remove(place, deployed, run);
      if (next) return { ...goOn({ phase, place: next }), processed };
      const isDone = await this.finish(deployed, principal);
      if (isDone) return { isDone, processed };
      return processed > 0 ? { ...goOn({ phase }), processed } : again({ phase }, vain);
    } catch (cause) {
      const failure = failureOf(cause);
      if (failure) throw failure;
      if (isBusy(cause)) throw cause;
      log.warn('A step of a deletion has failed', { deploymentId, cause });
      return again({ ...(progress as Progress), place }, vain, cause);
    }
  }

  /** Deletes the deployment once there is no case. @returns whether it is deleted */
  finish({ tenantCode, deploymentId }: DeployedVersion, principal: Principal): Promise<boolean> {
    faultPoint('workflow.before-cascade-ends');
    return this.#deps.unitOfWork(async (unit) => {
      const listed = await this.#deps.deployments.findListed(tenantCode, deploymentId);
      if (!listed) return true;
      const { count, next } = await this.#deps.walk.look(START, listed.deployed, MAX_LAST_LOOKS);
      if (count > 0 || next) return false;
      const casesGoFor = principal.id;
      await this.#deps.deployments.stageDeleted(unit, listed, principal, { casesGoFor });
      return true;
    });
  }
}

export const inTheNameOf = (id: string): Principal => ({ ...systemPrincipal, id, username: id });

/** One step for each sweep. */
const goOn = (progress: Progress) => ({ isDone: false, progress: { ...progress }, pauseMs: 0 });

/** The same again in the next sweep. @throws JobFailure after so many steps in vain */
function again(progress: Progress, vain: number, cause?: unknown) {
  if (vain + 1 < MAX_VAIN) return goOn({ ...progress, vain: vain + 1 });
  const { code, detail } = cause === undefined ? STUCK : toProblem(cause);
  throw new JobFailure(`${MAX_VAIN} steps have achieved nothing: ${detail}`, { code });
}

const STUCK = { code: 'CONCURRENT_UPDATE', detail: 'There are cases that do not go.' };

/** Whether the table was too busy, or out of reach, or somebody else came first. */
const isBusy = (cause: unknown): boolean =>
  ['SERVICE_UNAVAILABLE', 'CONCURRENT_UPDATE'].includes(toProblem(cause).code);

/** What ends the job at once, such as a case that another one waits for. */
function failureOf(cause: unknown): JobFailure | undefined {
  const isCalled = cause instanceof Problem && cause.code === 'DEPLOYMENT_CASES_CALLED';
  if (isCalled) return new JobFailure(cause.detail, { ...cause.extensions, code: cause.code });
  return jobFailureOf(cause);
}
