import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { problems } from '../errors.ts';
import { type CaseErasure, isOver } from '../store/families/case-erasure.ts';
import type { FamilyStore } from '../store/families/family-store.ts';
import { requireVisible } from './visibility.ts';

export interface CaseDeletionDependencies {
  readonly unitOfWork: RunUnitOfWork;
  readonly families: FamilyStore;
  readonly erasure: CaseErasure;
}

/** How long a deletion that meets a command is repeated (ms). */
const PATIENCE_MS = 10_000;

/** Deletes cases that have ended. */
export class CaseDeletion {
  readonly #deps: CaseDeletionDependencies;

  constructor(dependencies: CaseDeletionDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Deletes a case with everything that is stored of it, and the cases that its case tasks waited for.
   * @throws Problem `CASE_NOT_FOUND` (404), `CASE_NOT_ENDED` (409)
   */
  async delete(id: string, principal: Principal): Promise<void> {
    const { unitOfWork, families, erasure } = this.#deps;
    await unitOfWork(async (unit) => {
      unit.retryFor(PATIENCE_MS);
      const family = requireVisible(await families.load(id), id, principal);
      if (!isOver(family)) {
        throw problems.caseNotEnded({ reason: `The case ${id} goes on; terminate it first.` });
      }
      erasure.stage(unit, family, { withCalled: true });
    });
  }
}
