import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { problems } from '../errors.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import type { SourceSync } from '../sync/source-sync.ts';
import type { SourceService } from './source-service.ts';

interface SourceRemovalDependencies {
  readonly sources: Pick<SourceService, 'get'>;
  readonly repository: SourceRepository;
  readonly sync: Pick<SourceSync, 'demandFree' | 'deregister'>;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
}

/** Deletes sources; the accounts and departments that they made stay. */
export class SourceRemoval {
  readonly #deps: SourceRemovalDependencies;

  constructor(dependencies: SourceRemovalDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Deletes a source: it is found no more, and its code and name are free.
   * @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404), `SOURCE_ENABLED`, `SYNC_IN_PROGRESS` (409)
   */
  async delete(id: string, principal: Principal): Promise<void> {
    const { sources, repository, sync, unitOfWork, clock } = this.#deps;
    const found = await this.#disabled(id, principal);
    await sync.demandFree(found);
    // A schedule that could not be removed when the source was disabled.
    await sync.deregister(found);
    const stamp = { at: toInstant(clock.now()), by: principal.id };
    await unitOfWork(async (unit) => {
      const source = await sources.get(id, principal);
      if (source.enabled) throw problems.sourceEnabled({ id });
      repository.stageDeleted(unit, source, stamp);
    });
  }

  async #disabled(id: string, principal: Principal) {
    const source = await this.#deps.sources.get(id, principal);
    if (source.enabled) throw problems.sourceEnabled({ id });
    return source;
  }
}
