import { checkUpload } from '../../../shared/files/check-upload.ts';
import { fileProblems } from '../../../shared/files/errors.ts';
import type { Files } from '../../../shared/files/files.ts';
import type { UploadLink } from '../../../shared/ports/documents.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { isOwnedBy, ownerOf, type Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { problems } from '../errors.ts';
import type { EntityJob, JobService } from '../jobs/job-service.ts';
import type { Upload, UploadRepository } from '../store/jobs/upload-repository.ts';
import type { TransferFormat } from './exports/export-file.ts';
import type { ImportService } from './import-service.ts';
import { MAX_JSON_BYTES } from './json-to-lines.ts';
import type { RowImportRequest } from './row-import.ts';

/** Largest file that is imported, in bytes. */
const MAX_UPLOAD_BYTES = 256 * 1_024 * 1_024;
/** As long as the bucket keeps the file. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Announcement of a file. */
export interface UploadAnnouncement {
  readonly format: TransferFormat;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** State of an upload and its next link. */
export interface UploadStatus {
  readonly upload: Upload;
  readonly state: 'WAITING' | 'UPLOADED' | 'IMPORTED';
  /** Only while the file is waited for. */
  readonly link?: UploadLink;
}

export interface UploadServiceDependencies {
  readonly access: EntityAccess;
  readonly imports: ImportService;
  readonly jobs: JobService;
  readonly uploads: UploadRepository;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Imports of files that are too large for a request: announced, uploaded by a link, then imported by a job. */
export class UploadService {
  readonly #deps: UploadServiceDependencies;

  constructor(dependencies: UploadServiceDependencies) {
    this.#deps = dependencies;
  }

  /** Announces a file. @throws Problem `VALIDATION_FAILED` (400), `FORBIDDEN` (403) */
  async announce(
    model: EntityModel,
    announcement: UploadAnnouncement,
    principal: Principal,
  ): Promise<UploadStatus> {
    const { access, uploads, files, clock, ids } = this.#deps;
    await access.check(model, principal, 'add');
    const most = announcement.format === 'json' ? MAX_JSON_BYTES : MAX_UPLOAD_BYTES;
    checkSize(announcement.sizeBytes, Math.min(most, files.maxUploadBytes));
    const upload: Upload = {
      ...announcement,
      id: ids(),
      entity: model.code,
      ...ownerOf(principal),
      createdAt: toInstant(clock.now()),
      expiresAt: toInstant(clock.now() + KEPT_MS),
    };
    await uploads.add(upload);
    return { upload, state: 'WAITING', link: await this.#linkTo(upload) };
  }

  /** How far an upload of the caller is, with a new link while it is waited for. @throws Problem `UPLOAD_NOT_FOUND` (404) */
  async status(model: EntityModel, id: string, principal: Principal): Promise<UploadStatus> {
    await this.#deps.access.check(model, principal, 'add');
    const upload = await this.#own(model, id, principal);
    if (upload.jobId) return { upload, state: 'IMPORTED' };
    const found = await checkUpload(this.#deps.files, objectOf(upload), upload);
    if (found === 'same') return { upload, state: 'UPLOADED' };
    return { upload, state: 'WAITING', link: await this.#linkTo(upload) };
  }

  /**
   * Starts the job that imports an uploaded file; a repetition gives the same job.
   * @throws Problem `UPLOAD_NOT_FOUND` (404), `UPLOAD_INCOMPLETE` (409), `UPLOAD_MISMATCH` (422)
   */
  async import(
    model: EntityModel,
    id: string,
    request: RowImportRequest,
    principal: Principal,
  ): Promise<EntityJob> {
    const { imports, jobs, uploads, files, unitOfWork } = this.#deps;
    await imports.check(model, request, principal);
    return unitOfWork(async (unit) => {
      const upload = await this.#own(model, id, principal);
      if (upload.jobId) return jobs.get(model.code, upload.jobId);
      const object = objectOf(upload);
      const found = await checkUpload(files, object, upload);
      if (found === 'absent') throw problems.uploadIncomplete({ id });
      if (found === 'different') throw fileProblems.uploadMismatch(upload);
      const input = { ...request, format: upload.format, object, principal };
      const job = await jobs.start('IMPORT', model.code, input, principal);
      uploads.stageTaken(unit, upload, job.id);
      return job;
    });
  }

  async #own(model: EntityModel, id: string, principal: Principal): Promise<Upload> {
    const { uploads, clock } = this.#deps;
    const upload = await uploads.find(id);
    const isOwn = upload?.entity === model.code && isOwnedBy(upload, principal);
    if (!isOwn || Date.parse(upload.expiresAt) <= clock.now()) {
      throw problems.uploadNotFound({ id });
    }
    return upload;
  }

  #linkTo(upload: Upload): Promise<UploadLink> {
    const { sizeBytes, sha256 } = upload;
    const contentType = 'application/octet-stream';
    return this.#deps.files.uploadLink(objectOf(upload), { contentType, sizeBytes, sha256 });
  }
}

const objectOf = ({ id, format }: Upload): string => `entities/imports/${id}.${format}`;

function checkSize(sizeBytes: number, most: number): void {
  if (sizeBytes <= most) return;
  const detail = `must be at most ${most} here; send several files, or one of CSV or NDJSON`;
  throw httpProblems.validationFailed([{ pointer: '/sizeBytes', code: 'TOO_BIG', detail }]);
}
