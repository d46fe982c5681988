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
import { type CaseWalk, MAX_LOOKS, START } from './case-walk.ts';

/** A job that deletes a deployment with its cases. */
export type DeletionJob = Job<'DELETE'>;

export interface DeploymentDeletionDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly deployments: DeploymentService;
  readonly walk: CaseWalk;
  readonly log: Log;
}

/**
 * Where a job goes on: it looks for what refuses the deletion before it deletes anything, and for what has come since
 * before the deployment goes.
 */
interface Progress {
  readonly phase?: 'LOOK' | 'REMOVE' | 'LAST';
  readonly place?: UsePlace | undefined;
  readonly count?: number;
  /** Steps since one has achieved something. */
  readonly vain?: number;
}

/** What a job looks for cases of before it ends. */
interface LastLook {
  readonly deployed: DeployedVersion;
  readonly principal: Principal;
  readonly until: number;
}

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
    const { deployments, walk, log } = this.#deps;
    const listed = await deployments.findListed(tenantCode, deploymentId);
    if (!listed) return { isDone: true };
    const { deployed } = listed;
    const principal = inTheNameOf(createdBy);
    try {
      const until = walk.until();
      if (phase === 'LAST') return await this.#last(progress, { deployed, principal, until });
      if (phase === 'REMOVE') {
        const run = { principal, until };
        const { count: processed, next } = await walk.remove(place, deployed, run);
        const sum = { count: count + processed, vain };
        if (next) return { ...goOn({ phase, place: next, ...sum }), processed };
        return { ...(await this.#last(sum, { deployed, ...run })), processed };
      }
      const found = await walk.look(place, deployed);
      const total = count + found.count;
      if (found.next) return goOn({ phase, place: found.next, count: total });
      return { ...goOn({ phase: 'REMOVE' }), total };
    } catch (cause) {
      const failure = failureOf(cause);
      if (failure) throw failure;
      if (isBusy(cause)) throw cause;
      log.warn('A step of a deletion has failed', { deploymentId, cause });
      return again({ ...(progress as Progress), place }, vain, cause);
    }
  }

  /** Looks once more, and deletes the deployment where no case is left. */
  async #last(
    { place = START, count = 0, vain = 0 }: Progress,
    { deployed, principal, until }: LastLook,
  ): Promise<StepOutcome> {
    const found = await this.#deps.walk.look(place, deployed, { until });
    if (found.count > 0)
      return count > 0 ? goOn({ phase: 'REMOVE' }) : again({ phase: 'REMOVE' }, vain);
    if (found.next) return goOn({ phase: 'LAST', place: found.next, count, vain });
    await this.#delete(deployed, principal);
    return { isDone: true };
  }

  /** Deletes the deployment when a search within the limits of one request finds no case. @returns whether it is deleted */
  async finish(deployed: DeployedVersion, principal: Principal): Promise<boolean> {
    const { count, next } = await this.#deps.walk.look(START, deployed, {
      queries: 2 * MAX_LOOKS,
    });
    if (count > 0 || next) return false;
    await this.#delete(deployed, principal);
    return true;
  }

  /** Cases that the index shows later go when the content does. */
  #delete({ tenantCode, deploymentId }: DeployedVersion, principal: Principal): Promise<void> {
    faultPoint('workflow.before-cascade-ends');
    return this.#deps.unitOfWork(async (unit) => {
      const listed = await this.#deps.deployments.findListed(tenantCode, deploymentId);
      if (!listed) return;
      const casesGoFor = principal.id;
      await this.#deps.deployments.stageDeleted(unit, listed, principal, { casesGoFor });
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

/** Whether another attempt may succeed: throttling, an unreachable table or a concurrent change. */
const isBusy = (cause: unknown): boolean =>
  ['SERVICE_UNAVAILABLE', 'CONCURRENT_UPDATE'].includes(toProblem(cause).code);

/** What ends the job at once, such as a case that another one waits for. */
function failureOf(cause: unknown): JobFailure | undefined {
  const isCalled = cause instanceof Problem && cause.code === 'DEPLOYMENT_CASES_CALLED';
  if (isCalled) return new JobFailure(cause.detail, { ...cause.extensions, code: cause.code });
  return jobFailureOf(cause);
}
