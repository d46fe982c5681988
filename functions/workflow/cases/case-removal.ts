import type { TenantClock } from '../../../shared/primitives/clock.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { Problem } from '../../../shared/problems/problem.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { type CaseHead, hasEnded } from '../domain/cases/case-facts.ts';
import { problems } from '../errors.ts';
import type { CaseRecords } from '../store/cases/case-records.ts';
import type { CaseErasure } from '../store/families/case-erasure.ts';
import type { CaseCommands } from './case-commands.ts';

export interface CaseRemovalDependencies {
  readonly commands: CaseCommands;
  readonly records: CaseRecords;
  readonly erasure: CaseErasure;
  readonly tenantClock: TenantClock;
}

/** A case that another case, which is not deleted, waits for. */
export interface CalledCase {
  readonly caseInstanceId: string;
  /** The case that its family is of. */
  readonly calledBy: string;
}

/** Cases to remove. */
export interface Removable {
  /** Cases that no other case waits for, open or ended. */
  readonly roots: readonly CaseHead[];
  /** A case that one of another deployment waits for. */
  readonly called: CalledCase | undefined;
}

/** Cases that one read brings. */
const BATCH = 100;
const PARALLEL = 4;

/** Ends and deletes cases, whatever their state. */
export class CaseRemoval {
  readonly #deps: CaseRemovalDependencies;

  constructor(dependencies: CaseRemovalDependencies) {
    this.#deps = dependencies;
  }

  /** Which of the cases are there, by their families. @param deploymentId that of the cases */
  async look(ids: readonly string[], deploymentId: string): Promise<Removable> {
    const heads = await this.#heads(ids);
    const known = new Map(heads.map((head) => [head.caseInstanceId, head]));
    const further = heads.map(({ familyId }) => familyId).filter((id) => !known.has(id));
    for (const head of await this.#heads([...new Set(further)])) {
      known.set(head.caseInstanceId, head);
    }
    const isOwn = ({ familyId }: CaseHead) => known.get(familyId)?.deploymentId === deploymentId;
    const called = heads.find((head) => known.has(head.familyId) && !isOwn(head));
    const families = new Set(heads.filter(isOwn).map(({ familyId }) => familyId));
    return {
      roots: [...families].flatMap((id) => known.get(id) ?? []),
      called: called && { caseInstanceId: called.caseInstanceId, calledBy: called.familyId },
    };
  }

  /**
   * Ends what is open of the cases and deletes them with those that they waited for. One that fails holds up no other.
   * @returns how many are gone
   * @throws why the first of them could not be ended or deleted
   */
  async remove(roots: readonly CaseHead[], principal: Principal): Promise<number> {
    const failures: unknown[] = [];
    const gone = await mapLimited(roots, PARALLEL, async (root) => {
      try {
        return await this.#removeOne(root, principal);
      } catch (cause) {
        failures.push(cause);
        return false;
      }
    });
    if (failures.length > 0) throw failures[0];
    return gone.filter(Boolean).length;
  }

  async #removeOne(root: CaseHead, principal: Principal): Promise<boolean> {
    if (!hasEnded(root)) await this.#end(root, principal);
    faultPoint('workflow.after-ended-case');
    const isGone = await this.#deps.erasure.erase(root.caseInstanceId, { withCalled: true });
    faultPoint('workflow.after-removed-case');
    return isGone;
  }

  /** Who comes first may have ended or deleted it. */
  async #end({ caseInstanceId, tenantCode }: CaseHead, principal: Principal): Promise<void> {
    const { commands, tenantClock } = this.#deps;
    try {
      await tenantClock.at(tenantCode || undefined, () =>
        commands.give({
          ...{ caseInstanceId, principal },
          reason: 'The deployment is deleted.',
          command: () => ({ type: 'terminate', caseInstanceId }),
        }),
      );
    } catch (cause) {
      if (!(cause instanceof Problem) || !OVER.has(cause.code)) throw cause;
    }
  }

  async #heads(ids: readonly string[]): Promise<CaseHead[]> {
    const heads: CaseHead[] = [];
    for (let at = 0; at < ids.length; at += BATCH) {
      heads.push(...(await this.#deps.records.heads(ids.slice(at, at + BATCH))));
    }
    return heads;
  }
}

const OVER: ReadonlySet<string> = new Set([
  problems.caseNotFound.type.code,
  problems.caseNotActive.type.code,
]);
