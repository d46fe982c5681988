import type { Files } from '../../../shared/files/files.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { ANNOUNCED_MS, type AnnouncedFile, type AnnouncedFiles } from '../store/announced-files.ts';
import type { FileRepository } from '../store/file-repository.ts';

interface FileSweepDependencies {
  readonly announced: Pick<AnnouncedFiles, 'between'>;
  readonly fileRepository: Pick<FileRepository, 'find'>;
  readonly files: Pick<Files, 'delete'>;
  readonly tenantClock: { readonly machine: Clock };
}

/** No function runs for longer, so that what it has announced is stored by then, or never. */
const LONGEST_RUN_MS = 16 * 60_000;
const AT_ONCE = 8;

/** Deletes objects of versions that were announced and not stored: their functions have died in between. */
export class FileSweep {
  readonly #deps: FileSweepDependencies;
  /** What was announced before is settled. */
  #settledUntil = 0;

  constructor(dependencies: FileSweepDependencies) {
    this.#deps = dependencies;
  }

  /** @returns the number of versions whose objects it has deleted */
  async sweep(): Promise<number> {
    const until = this.#deps.tenantClock.machine.now() - LONGEST_RUN_MS;
    const from = Math.max(this.#settledUntil, until - ANNOUNCED_MS);
    const announced = await this.#deps.announced.between(from, until);
    const deleted = await mapLimited(announced, AT_ONCE, (each) => this.#settle(each));
    this.#settledUntil = until;
    return deleted.filter(Boolean).length;
  }

  async #settle({
    templateId,
    fileVersion,
    path,
    inspectionPath,
  }: AnnouncedFile): Promise<boolean> {
    const { fileRepository, files } = this.#deps;
    const stored = await fileRepository.find(templateId, fileVersion);
    if (stored?.path === path) return false;
    await files.delete(path);
    await files.delete(inspectionPath);
    return true;
  }
}
