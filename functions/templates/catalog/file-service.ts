import type { Files } from '../../../shared/files/files.ts';
import { shownName } from '../../../shared/primitives/shown-name.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { RunUnitOfWork, UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { requireSeen, type SeenVersion } from '../domain/documents/seen-version.ts';
import type { Template } from '../domain/documents/template.ts';
import {
  type CurrentFile,
  DOCX_TYPE,
  type FileVersion,
} from '../domain/documents/template-file.ts';
import { problems } from '../errors.ts';
import type { FileRepository } from '../store/file-repository.ts';
import type { FileContent, FileSource, FileVersions } from './file-versions.ts';
import { normaliseFile } from './normalise-file.ts';
import type { TemplateCatalog } from './template-catalog.ts';

const MAX_NAME_LENGTH = 255;
const USUAL_NAME = 'template.docx';

/** A file as it was sent. */
export interface SentFile {
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/** Where an edited file comes from. */
interface EditSource {
  readonly userId: string;
  readonly source: FileSource;
}

interface FileServiceDependencies {
  readonly catalog: TemplateCatalog;
  readonly fileRepository: FileRepository;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  readonly versions: FileVersions;
  readonly linkSeconds: number;
}

/** Files of templates: every version stays, and the newest one generates unless another is asked for. */
export class FileService {
  readonly #deps: FileServiceDependencies;

  constructor(dependencies: FileServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Checks, normalises and stores a file as the next version.
   * @throws Problem `TEMPLATE_NOT_FOUND` (404), `TEMPLATE_DELETED` (409), `VERSION_CONFLICT` (412),
   *   `UNSUPPORTED_FILE_TYPE` (415), `INVALID_DOCX`, `ENCRYPTED_DOCX`, `MACROS_NOT_ALLOWED`, `DOCX_TOO_COMPLEX` (422)
   */
  async upload(
    id: string,
    { fileName, bytes }: SentFile,
    principal: Principal,
    seen: SeenVersion = {},
  ): Promise<FileVersion> {
    const { fileRepository, catalog } = this.#deps;
    requireActive(await catalog.get(id, principal));
    const declared = (await fileRepository.fields(id)).map(({ name }) => name);
    const file = await normaliseFile(bytes, declared);
    const name = shownName(fileName, MAX_NAME_LENGTH) || USUAL_NAME;
    const content = { ...file, fileName: name };
    return this.#add(id, content, { origin: 'UPLOAD' }, principal, seen);
  }

  /** Makes an earlier version the newest one. @throws Problem as `upload`; `FILE_VERSION_NOT_FOUND` (404) */
  async restore(id: string, fileVersion: number, principal: Principal): Promise<FileVersion> {
    requireActive(await this.#deps.catalog.get(id, principal));
    const earlier = await this.#stored(id, fileVersion);
    const source = { origin: 'RESTORE', restoredFrom: fileVersion } as const;
    return this.#add(id, await this.#deps.versions.contentOf(earlier), source, principal);
  }

  /** Stages the newest file of a template as the first one of another that is staged in the same unit. */
  async stageCopy(
    unit: UnitOfWork,
    { id, file }: Template,
    to: string,
    principal: Principal,
  ): Promise<CurrentFile | undefined> {
    if (!file) return undefined;
    const content = await this.#deps.versions.contentOf(await this.#stored(id, file.fileVersion));
    const version = this.#deps.versions.next({ id: to }, content, { origin: 'COPY' }, principal);
    await this.#deps.versions.stage(unit, to, version, content);
    return currentOf(version);
  }

  /** Stages what an editor has saved as the next version of a template, unless the newest one is the same. @throws Problem why the file is not taken */
  async stageEdited(
    unit: UnitOfWork,
    template: Template,
    bytes: Uint8Array,
    { userId, source }: EditSource,
  ): Promise<FileVersion> {
    const { fileRepository, catalog } = this.#deps;
    const { id, file } = template;
    const declared = (await fileRepository.fields(id)).map(({ name }) => name);
    const content = { ...(await normaliseFile(bytes, declared)), fileName: file?.fileName ?? '' };
    const version = this.#deps.versions.next(template, content, source, { id: userId });
    if (version.fileHash === file?.fileHash) return this.#stored(id, file.fileVersion);
    await this.#deps.versions.stage(unit, id, version, content);
    catalog.stageChange(unit, { ...template, file: currentOf(version) }, { id: userId });
    return version;
  }

  /** Newest first. @throws Problem `TEMPLATE_NOT_FOUND` (404) */
  async list(id: string, page: PageRequest, principal: Principal): Promise<ReadPage<FileVersion>> {
    await this.#deps.catalog.get(id, principal);
    return this.#deps.fileRepository.list(id, page);
  }

  /**
   * A version of the file, by default the newest.
   * @throws Problem `TEMPLATE_NOT_FOUND`, `FILE_VERSION_NOT_FOUND` (404)
   */
  async get(
    id: string,
    fileVersion: number | undefined,
    principal: Pick<Principal, 'tenant'>,
  ): Promise<FileVersion> {
    const { file } = await this.#deps.catalog.get(id, principal);
    return this.#stored(id, fileVersion ?? file?.fileVersion ?? 0);
  }

  /** A link that downloads a version for some time. @throws Problem as `get` */
  async link(id: string, fileVersion: number | undefined, principal: Principal): Promise<string> {
    const { files, linkSeconds } = this.#deps;
    const { path, fileName } = await this.get(id, fileVersion, principal);
    const request = { fileName, contentType: DOCX_TYPE, expiresInSeconds: linkSeconds };
    return files.downloadLink(path, request);
  }

  async #stored(id: string, fileVersion: number): Promise<FileVersion> {
    const file = await this.#deps.fileRepository.find(id, fileVersion);
    if (!file) throw problems.fileVersionNotFound({ id, fileVersion });
    return file;
  }

  async #add(
    id: string,
    content: FileContent,
    source: FileSource,
    principal: Principal,
    seen: SeenVersion = {},
  ): Promise<FileVersion> {
    const { catalog, unitOfWork } = this.#deps;
    return unitOfWork(async (unit) => {
      const template = await catalog.get(id, principal);
      requireSeen(template.version, seen);
      requireActive(template);
      const version = this.#deps.versions.next(template, content, source, principal);
      await this.#deps.versions.stage(unit, id, version, content);
      catalog.stageChange(unit, { ...template, file: currentOf(version) }, principal);
      return version;
    });
  }
}

const currentOf = ({
  fileVersion,
  fileName,
  fileSize,
  fileHash,
  path,
}: FileVersion): CurrentFile => ({
  ...{ fileVersion, fileName, fileSize, fileHash, path },
});

/** @throws Problem `TEMPLATE_DELETED` (409) */
function requireActive({ id, status }: Template): void {
  if (status === 'DELETED') throw problems.templateDeleted({ id });
}
