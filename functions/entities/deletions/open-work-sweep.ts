import type { Log } from '../../../shared/primitives/log.ts';
import { EntityModel } from '../domain/definitions/model.ts';
import type { DefinitionRepository } from '../store/definition-repository.ts';
import type { DeletionMarks } from '../store/deletion-marks.ts';
import type { NamedWork, OpenWork, Work } from '../store/open-work.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { SubtreeDeletionService } from './subtree-deletion-service.ts';
import type { Trash } from './trash.ts';

export interface OpenWorkSweepDependencies {
  readonly definitions: DefinitionRepository;
  readonly repository: RecordRepository;
  readonly marks: DeletionMarks;
  readonly openWork: OpenWork;
  readonly subtrees: SubtreeDeletionService;
  readonly trash: Trash;
  readonly log: Log;
}

/** Ends what calls have begun and not ended: deletions, purges, objects that no record needs. */
export class OpenWorkSweep {
  readonly #deps: OpenWorkSweepDependencies;

  constructor(dependencies: OpenWorkSweepDependencies) {
    this.#deps = dependencies;
  }

  /** @returns how much work was due; what fails is tried again by the next sweep */
  async run(): Promise<number> {
    const { openWork, log } = this.#deps;
    const due = await openWork.due();
    for (const work of due) {
      try {
        await this.#complete(work);
      } catch (cause) {
        log.warn('Interrupted work could not be ended', { work: work.name, cause });
      }
    }
    return due.length;
  }

  async #complete(work: NamedWork): Promise<void> {
    const { marks, subtrees } = this.#deps;
    switch (work.kind) {
      case 'MARK':
        return marks.release(work.entity, work.id, work.name);
      case 'SUBTREE': {
        const phase = work.isDecided ? 'mark' : 'undo';
        await subtrees.startJob(work.entity, work.deletion, phase);
        return;
      }
      case 'PURGE':
        return this.#purge(work.name, work);
      case 'ERASE':
        return this.#erase(work.name, work);
    }
  }

  async #purge(
    name: string,
    { entity, id, version, principal }: Extract<Work, { kind: 'PURGE' }>,
  ): Promise<void> {
    const { definitions, openWork, trash } = this.#deps;
    const definition = await definitions.find(entity);
    const isMeant = (stored: { readonly version: number }): boolean => stored.version === version;
    const isPurged =
      definition &&
      (await trash.purge(new EntityModel(definition), id, principal, { work: name, isMeant }));
    // A sweep at the same time may have purged it, and has its history to erase.
    if (!isPurged) await openWork.endAs(name, 'PURGE');
  }

  async #erase(name: string, work: Extract<Work, { kind: 'ERASE' }>): Promise<void> {
    const { openWork, trash } = this.#deps;
    if (await openWork.take(name)) await trash.erase(name, work);
  }
}
