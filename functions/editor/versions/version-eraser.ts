import type { Files } from '../../../shared/files/files.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { DocumentVersion } from '../store/version-items.ts';
import type { VersionRepository } from '../store/version-repository.ts';

interface VersionEraserDependencies {
  readonly versions: VersionRepository;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
}

/** More than the configuration lets a document have, also where it had more before. */
const MOST_VERSIONS = 1_000;
const AT_ONCE = 8;

/** Deletes versions of documents with their content. */
export class VersionEraser {
  readonly #deps: VersionEraserDependencies;

  constructor(dependencies: VersionEraserDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Deletes all versions of a document but what lies there now; interrupted it goes on with what is left.
   * @throws the first failure, once all others have had their turn: what the storage locks keeps nothing else
   */
  async forget(document: string): Promise<void> {
    const { versions, unitOfWork } = this.#deps;
    const found = await versions.list(document, MOST_VERSIONS);
    const failures: unknown[] = [];
    await mapLimited(found, AT_ONCE, async (version) => {
      try {
        // The files first: nothing would lead to them any more.
        await this.#removeFiles(version);
        await unitOfWork(async (unit) => versions.stageDelete(unit, document, version.number));
      } catch (error) {
        failures.push(error);
      }
    });
    if (failures.length > 0) throw failures[0];
  }

  /** Stages the deletion of one version; its content goes after it. */
  async stageRemoval(unit: UnitOfWork, document: string, number: number): Promise<void> {
    const { versions } = this.#deps;
    const old = number > 0 ? await versions.find(document, number) : undefined;
    if (!old) return;
    versions.stageDelete(unit, document, number);
    unit.afterCommit(() => this.#removeFiles(old));
  }

  async #removeFiles({ path, versionId, changesPath }: DocumentVersion): Promise<void> {
    const { files } = this.#deps;
    if (changesPath !== undefined) await files.delete(changesPath);
    if (versionId === undefined) return;
    const isNewest = (await files.facts(path))?.versionId === versionId;
    if (!isNewest) await files.deleteVersion(path, versionId);
  }
}
