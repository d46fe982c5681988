import { createHash } from 'node:crypto';
import type { Files } from '../../../shared/files/files.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { Template } from '../domain/documents/template.ts';
import {
  DOCX_TYPE,
  type FileOrigin,
  type FileVersion,
  filePaths,
} from '../domain/documents/template-file.ts';
import type { AnnouncedFiles } from '../store/announced-files.ts';
import type { FileRepository } from '../store/file-repository.ts';
import type { NormalisedFile } from './normalise-file.ts';

/** Where a new version comes from. */
export interface FileSource {
  readonly origin: FileOrigin;
  readonly restoredFrom?: number;
}

/** A file that becomes a version. */
export interface FileContent extends NormalisedFile {
  readonly fileName: string;
}

interface FileVersionsDependencies {
  readonly fileRepository: FileRepository;
  readonly announced: Pick<AnnouncedFiles, 'announce'>;
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Versions of files with their objects: what was stored, and what is to be. */
export class FileVersions {
  readonly #deps: FileVersionsDependencies;

  constructor(dependencies: FileVersionsDependencies) {
    this.#deps = dependencies;
  }

  /** What the file of a version has. */
  async contentOf({
    path,
    inspectionPath,
    fileName,
    found,
    sections,
    warnings,
  }: FileVersion): Promise<FileContent> {
    const bytes = await this.#read(path);
    const inspection = JSON.parse(Buffer.from(await this.#read(inspectionPath)).toString());
    return { bytes, inspection, fileName, found, sections, warnings };
  }

  async #read(path: string): Promise<Uint8Array> {
    const stored = await this.#deps.files.read(path, MAX_STORED_BYTES);
    if (!stored) throw new Error(`The file ${path} of a template is gone`);
    return stored.body;
  }

  /** The next version of the file of a template. */
  next(
    { id, file }: Pick<Template, 'id' | 'file'>,
    { bytes, fileName, found, sections, warnings }: FileContent,
    source: FileSource,
    principal: Pick<Principal, 'id'>,
  ): FileVersion {
    const current = {
      fileVersion: (file?.fileVersion ?? 0) + 1,
      fileName,
      fileSize: bytes.length,
      fileHash: createHash('sha256').update(bytes).digest('hex'),
    };
    const createdAt = toInstant(this.#deps.clock.now());
    const facts = { found, sections, warnings, ...source, createdAt, createdBy: principal.id };
    const part = this.#deps.ids().slice(-12);
    return { ...current, ...filePaths(id, current.fileVersion, part), ...facts };
  }

  /**
   * Stages a version. The objects come first: what refers to them finds them, and a sweep those that nothing refers to. Nobody
   * else deletes them, as a commit whose answer is lost may have happened.
   */
  async stage(
    unit: UnitOfWork,
    id: string,
    version: FileVersion,
    { bytes, inspection }: NormalisedFile,
  ): Promise<void> {
    const { files, fileRepository, announced } = this.#deps;
    const { path, inspectionPath } = version;
    await announced.announce(id, version);
    await files.write(path, bytes, DOCX_TYPE);
    await files.write(inspectionPath, Buffer.from(JSON.stringify(inspection)), 'application/json');
    fileRepository.stageNew(unit, id, version);
  }
}

/** Larger than every file that is taken, normalised. */
const MAX_STORED_BYTES = 64 * 1_024 * 1_024;
