import type { Files } from '../../../shared/files/files.ts';
import type { SnapshotUser, UserOutline } from '../domain/directory/directory.ts';
import { decodePage, encodePage } from './user-page.ts';

/** Files of a run, which expire after a week: they hold personal data. */
const RUN_FILES = 'identity/runs/';
const MAX_BYTES = 64 * 1_048_576;
const NUMBER_LENGTH = 6;

type StoredFiles = Pick<Files, 'read' | 'write' | 'facts' | 'delete' | 'downloadLink'>;

/** What a run reads and plans, in the bucket: by source, batch and name. */
export class RunFiles {
  readonly #files: StoredFiles;

  constructor({ files }: { readonly files: StoredFiles }) {
    this.#files = files;
  }

  async write(run: RunPlace, name: string, value: unknown): Promise<void> {
    await this.#put(run, name, Buffer.from(JSON.stringify(value)));
  }

  /** @throws RunFileMissing */
  async read<T>(run: RunPlace, name: string): Promise<T> {
    return JSON.parse(Buffer.from(await this.#bytes(run, name)).toString()) as T;
  }

  async writeUsers(run: RunPlace, number: number, users: readonly SnapshotUser[]): Promise<void> {
    await this.#put(run, numbered(USERS, number), encodePage(users));
  }

  /** @throws RunFileMissing */
  async readUsers(run: RunPlace, number: number): Promise<readonly UserOutline[]> {
    return decodePage(await this.#bytes(run, numbered(USERS, number)));
  }

  async has(run: RunPlace, name: string): Promise<boolean> {
    return (await this.#files.facts(pathOf(run, name))) !== undefined;
  }

  /** Keeps a text for whoever has asked for it. @returns a link to it that works for some minutes */
  async share(run: RunPlace, fileName: string, text: string, contentType: string): Promise<string> {
    const path = `${folderOf(run)}${fileName}`;
    await this.#files.write(path, Buffer.from(text), contentType);
    return this.#files.downloadLink(path, { fileName, contentType });
  }

  async delete(run: RunPlace, names: readonly string[]): Promise<void> {
    for (const name of names) await this.#files.delete(pathOf(run, name));
  }

  async #put(run: RunPlace, name: string, body: Uint8Array): Promise<void> {
    await this.#files.write(pathOf(run, name), body, 'application/json');
  }

  async #bytes(run: RunPlace, name: string): Promise<Uint8Array> {
    const file = await this.#files.read(pathOf(run, name), MAX_BYTES);
    if (!file) throw new RunFileMissing(name);
    return file.body;
  }
}

/** Files with the users of a snapshot. */
export const USERS = 'users';
/** File with the ids of the users that a run compares, where these are not all. */
export const ONLY = 'only';

/** Where the files of a run are. */
export interface RunPlace {
  readonly sourceId: string;
  readonly batch: string;
}

/** A file of a run is not there any more. */
export class RunFileMissing extends Error {
  override readonly name = 'RunFileMissing';

  constructor(name: string) {
    super(`The file ${name} of the run is not there any more`);
  }
}

/** The name of one of several files. */
export const numbered = (name: string, number: number): string =>
  `${name}-${String(number).padStart(NUMBER_LENGTH, '0')}`;

const folderOf = ({ sourceId, batch }: RunPlace): string => `${RUN_FILES}${sourceId}/${batch}/`;
const pathOf = (run: RunPlace, name: string): string => `${folderOf(run)}${name}.json`;
