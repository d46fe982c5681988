import { type Files, FileTooLargeError } from '../../../shared/files/files.ts';
import type { DocsEditorAuthorizationService } from '../../../shared/ports/documents.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { ImageOf } from '../domain/markers/marker-values.ts';
import { isDocumentPath } from '../domain/values/document-path.ts';

/** Largest image, and all images of one document together. */
const MAX_IMAGE_BYTES = 8 * 1_024 * 1_024;
const MAX_TOTAL_BYTES = 32 * 1_024 * 1_024;
/** Most files that one document shows. */
const MAX_FILES = 100;

const DATA_URL = /^data:image\/(?:png|jpe?g|gif);base64,([A-Za-z0-9+/]+={0,2})$/i;

interface ImageValuesDependencies {
  readonly files: Pick<Files, 'read'>;
  /** Those of the host that decide about files: exactly one, else images are not shown. */
  readonly policies: readonly DocsEditorAuthorizationService[];
  readonly log: Log;
}

/** Whose document shows images, and the record as this caller sees it. */
export interface ImageOwner {
  readonly principal: Principal;
  readonly record: unknown;
  readonly entityId?: string | undefined;
}

/**
 * Images of values: data URLs, and files that a record names to a caller who may see both the field and the file. Paths
 * in a request name nothing.
 */
export class ImageValues {
  readonly #deps: ImageValuesDependencies;

  constructor(dependencies: ImageValuesDependencies) {
    this.#deps = dependencies;
  }

  /** Reads each file once for one document. */
  of(owner: ImageOwner): ImageOf {
    const named = lazy(() => namedIn(owner.record));
    const readFile = this.#reader(owner);
    return (value) => {
      if (typeof value !== 'string') return undefined;
      const [, data] = DATA_URL.exec(value) ?? [];
      if (data !== undefined) return async () => Buffer.from(data, 'base64');
      return named().has(value) ? () => readFile(value) : undefined;
    };
  }

  /** One file after the other: what one takes of the memory is not there for the next. */
  #reader(owner: ImageOwner): (path: string) => Promise<Uint8Array | undefined> {
    const files = new Map<string, { readonly bytes: Promise<Uint8Array | undefined> }>();
    let left = MAX_TOTAL_BYTES;
    let queue: Promise<unknown> = Promise.resolve();
    const next = async (path: string): Promise<Uint8Array | undefined> => {
      await queue;
      const bytes = await this.#read(path, owner, Math.min(MAX_IMAGE_BYTES, left));
      left -= bytes?.length ?? 0;
      return bytes;
    };
    return (path) => {
      const known = files.get(path);
      if (known) return known.bytes;
      const bytes = files.size < MAX_FILES ? next(path) : Promise.resolve(undefined);
      queue = bytes.catch(() => undefined);
      files.set(path, { bytes });
      return bytes;
    };
  }

  async #read(path: string, owner: ImageOwner, maxBytes: number): Promise<Uint8Array | undefined> {
    if (!(await this.#maySee(path, owner))) return undefined;
    try {
      return (await this.#deps.files.read(path, maxBytes))?.body;
    } catch (error) {
      if (error instanceof FileTooLargeError) return undefined;
      throw error;
    }
  }

  async #maySee(path: string, { principal, entityId = '' }: ImageOwner): Promise<boolean> {
    const { policies, log } = this.#deps;
    const [policy] = policies;
    if (!policy || policies.length > 1 || !principal.authenticated) return false;
    const fileName = path.slice(path.lastIndexOf('/') + 1);
    const query = { fileId: path, fileName, documentId: entityId, mode: 'view' } as const;
    try {
      return (await policy.canOpen(query, principal.id, principal)) === true;
    } catch (cause) {
      log.warn('The policy of the host on files has failed', { cause });
      return false;
    }
  }
}

/** The texts of a record that name files. */
function namedIn(record: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const open: unknown[] = [record];
  for (const value of open) {
    if (typeof value === 'string' && isDocumentPath(value)) found.add(value);
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) open.push(member);
  }
  return found;
}
