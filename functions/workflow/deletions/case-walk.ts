import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { CalledCase, CaseRemoval } from '../cases/case-removal.ts';
import { problems } from '../errors.ts';
import type { CaseUse, Used, UsePlace } from '../store/case-use.ts';

export interface CaseWalkDependencies {
  readonly caseUse: CaseUse;
  readonly removal: CaseRemoval;
  readonly machine: Clock;
}

/** What a part of a walk has met. */
export interface Walked {
  /** Cases that were found, or are gone. */
  readonly count: number;
  /** Where it goes on; none: it is at its end. */
  readonly next: UsePlace | undefined;
}

/** How far one part of a walk goes. */
export interface Part {
  /** The most queries that it makes; default: as many as there is time for. */
  readonly queries?: number;
  /** Until when it takes up further cases; default: its own time, from now on. */
  readonly until?: number;
}

/** How cases are removed on a walk. */
export interface RemovalRun extends Part {
  readonly principal: Principal;
  /** Leaves cases alone that one of another deployment waits for, and does not refuse. */
  readonly leavesCalled?: boolean;
}

/** Where a walk begins. */
export const START: UsePlace = { list: 0 };
/** How long one part of a walk goes on reading and taking up cases (ms). */
const PART_MS = 15_000;
/** Queries with which a request looks for cases; those of other versions of the workflow are among the rows. */
export const MAX_LOOKS = 25;

/** Walks through the cases of a deployment, part by part. */
export class CaseWalk {
  readonly #deps: CaseWalkDependencies;

  constructor(dependencies: CaseWalkDependencies) {
    this.#deps = dependencies;
  }

  /** Until when a part that begins now takes up cases. */
  until(): number {
    return this.#deps.machine.now() + PART_MS;
  }

  /** Counts cases. @throws Problem `DEPLOYMENT_CASES_CALLED` (409) */
  async look(
    start: UsePlace,
    deployed: Used,
    { queries = Number.POSITIVE_INFINITY, until = this.until() }: Part = {},
  ): Promise<Walked> {
    const { caseUse, removal, machine } = this.#deps;
    let place: UsePlace | undefined = start;
    let count = 0;
    for (let query = 0; place && query < queries && machine.now() < until; query += 1) {
      const { ids, next } = await caseUse.casesFrom(deployed, place);
      const { roots, called } = await removal.look(ids, deployed.deploymentId);
      requireOwn(deployed, called);
      count += roots.length;
      place = next;
    }
    return { count, next: place };
  }

  /** Ends and deletes cases. @throws Problem `DEPLOYMENT_CASES_CALLED` (409) */
  async remove(
    start: UsePlace,
    deployed: Used,
    { principal, leavesCalled = false, until = this.until() }: RemovalRun,
  ): Promise<Walked> {
    const { caseUse, removal, machine } = this.#deps;
    let place: UsePlace | undefined = start;
    let count = 0;
    while (place && machine.now() < until) {
      const { ids, next } = await caseUse.casesFrom(deployed, place);
      const { roots, called } = await removal.look(ids, deployed.deploymentId);
      if (!leavesCalled) requireOwn(deployed, called);
      count += await removal.remove(roots, principal);
      place = next;
    }
    return { count, next: place };
  }
}

function requireOwn({ deploymentId }: Used, called: CalledCase | undefined): void {
  if (called) throw problems.deploymentCasesCalled({ deploymentId, ...called });
}
