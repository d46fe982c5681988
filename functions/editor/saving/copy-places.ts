import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type { ExpectedFile, FileFacts } from '../../../shared/ports/documents.ts';
import { besides } from '../domain/file-id.ts';
import type { SaveClaim } from '../store/save-repository.ts';
import type { SessionRepository } from '../store/session-repository.ts';

interface CopyPlacesDependencies {
  readonly files: Files;
  readonly sessions: Pick<SessionRepository, 'find'>;
}

/** Where a copy goes, and what may lie there. */
export interface CopyPlace {
  readonly path: string;
  readonly expected: ExpectedFile;
  /** What lies in the place that was asked for. */
  readonly there?: FileFacts | undefined;
  readonly thereHash?: string | undefined;
}

/** Finds places for copies beside documents: one replaces the earlier copy of its own session, and nothing of others. */
export class CopyPlaces {
  readonly #deps: CopyPlacesDependencies;

  constructor(dependencies: CopyPlacesDependencies) {
    this.#deps = dependencies;
  }

  async find(path: string, { key, identity }: SaveClaim): Promise<CopyPlace> {
    const { files, sessions } = this.#deps;
    const there = await files.facts(path);
    if (!there) return { path, expected: 'absent' };
    const thereHash = there.sha256 ?? (await hashFile(files, path))?.hash;
    const lastSave = (await sessions.find(key))?.lastSave;
    if (lastSave?.path === path && lastSave.hash === thereHash) {
      return { path, expected: { etag: there.etag }, there, thereHash };
    }
    const other = besides(path, identity.slice(identity.indexOf('#') + 1).slice(0, 8));
    const beside = await files.facts(other);
    const expected = beside ? { etag: beside.etag } : ('absent' as const);
    return { path: other, expected, there, thereHash };
  }
}
