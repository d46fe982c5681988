import { type DocxPackage, normaliseDocx, openDocx } from '../../../../shared/docx/index.ts';
import type { Files } from '../../../../shared/files/files.ts';

/** Larger than every file that is taken, normalised. */
const MAX_FILE_BYTES = 64 * 1_024 * 1_024;
/** Unpacked files that an environment keeps, together. */
const KEPT_BYTES = 32 * 1_024 * 1_024;

interface KeptPackage {
  readonly declared: string;
  readonly pkg: DocxPackage;
  readonly sizeBytes: number;
}

/**
 * The Word files of templates, ready to be filled. A version of a file is never written over, so an environment keeps those that
 * it has filled last.
 */
export class TemplatePackages {
  readonly #files: Pick<Files, 'read'>;
  /** By path, the one that was filled last at the end. */
  readonly #kept = new Map<string, KeptPackage>();
  #keptBytes = 0;

  constructor(files: Pick<Files, 'read'>) {
    this.#files = files;
  }

  /**
   * The file at a path, normalised.
   * @param names declared fields: those that were declared after the upload count between guillemets, too
   */
  async read(path: string, names: readonly string[]): Promise<DocxPackage> {
    const declared = JSON.stringify(names);
    const kept = this.#take(path);
    const isReady = kept?.declared === declared;
    const pkg = isReady ? kept.pkg : await this.#prepare(path, names);
    this.#keep(path, isReady ? kept : { declared, pkg, sizeBytes: sizeOf(pkg) });
    return pkg;
  }

  async #prepare(path: string, declared: readonly string[]): Promise<DocxPackage> {
    const stored = await this.#files.read(path, MAX_FILE_BYTES);
    if (!stored) throw new Error(`The file ${path} of a template is gone`);
    return normaliseDocx(await openDocx(stored.body), { declared }).pkg;
  }

  #take(path: string): KeptPackage | undefined {
    const kept = this.#kept.get(path);
    if (this.#kept.delete(path)) this.#keptBytes -= kept?.sizeBytes ?? 0;
    return kept;
  }

  #keep(path: string, found: KeptPackage): void {
    this.#take(path);
    this.#kept.set(path, found);
    this.#keptBytes += found.sizeBytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= KEPT_BYTES) return;
      this.#take(oldest);
    }
  }
}

const sizeOf = ({ entries }: DocxPackage): number =>
  entries.values().reduce((sum, { length }) => sum + length, 0);
