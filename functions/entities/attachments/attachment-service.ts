import { checkUpload } from '../../../shared/files/check-upload.ts';
import { fileProblems } from '../../../shared/files/errors.ts';
import type { Files } from '../../../shared/files/files.ts';
import type { UploadLink } from '../../../shared/ports/documents.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { isOwnedBy, ownerOf, type Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import { fieldsSeen } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { announcementErrors, type FileAnnouncement } from '../domain/values/file-rules.ts';
import { problems } from '../errors.ts';
import type { RecordReader } from '../records/record-reader.ts';
import {
  type Attachment,
  type AttachmentRepository,
  afterLinks,
  objectOf,
} from '../store/jobs/attachment-repository.ts';
import type { OpenWork } from '../store/open-work.ts';

/** How long a record may take to refer to a file that was announced. */
const KEPT_MS = 24 * 3_600_000;

export interface AttachmentServiceDependencies {
  readonly access: EntityAccess;
  readonly reader: RecordReader;
  readonly attachments: AttachmentRepository;
  readonly openWork: OpenWork;
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** An announced file, and the link while it is waited for. */
export interface AnnouncedFile {
  readonly file: Attachment;
  readonly state: 'WAITING' | 'UPLOADED';
  readonly link?: UploadLink;
}

/** A file of a record, and where it is for some minutes. */
export interface LinkedFile {
  readonly file: Attachment;
  readonly url: string;
}

/** Files of records: announced, uploaded by a link, named by a record, downloaded by a link. */
export class AttachmentService {
  readonly #deps: AttachmentServiceDependencies;

  constructor(dependencies: AttachmentServiceDependencies) {
    this.#deps = dependencies;
  }

  /** Announces a file for a field. @throws Problem `VALIDATION_FAILED` (400), `FORBIDDEN` (403) */
  async announce(
    model: EntityModel,
    announcement: FileAnnouncement & { readonly field: string },
    principal: Principal,
  ): Promise<AnnouncedFile> {
    const { attachments, openWork, clock, ids, files } = this.#deps;
    await this.#checkWritable(model, announcement.field, principal);
    const errors = announcementErrors(
      model.field(announcement.field)?.file,
      announcement,
      files.maxUploadBytes,
    );
    if (errors.length > 0) throw httpProblems.validationFailed(errors);
    const id = ids();
    const expiry = clock.now() + KEPT_MS;
    const expiresAt = toInstant(expiry);
    // A link that is given out at the last moment may be used until then.
    const work = openWork.newName({ at: afterLinks(expiry) });
    const file: Attachment = {
      ...announcement,
      ...{ id, entity: model.code, entityId: model.definition.id, ...ownerOf(principal) },
      ...{ createdAt: toInstant(clock.now()), expiresAt, work },
    };
    // Whatever happens next, the sweep deletes the file unless a record names it by then.
    const objects = [objectOf(file)];
    await openWork.write(work, { kind: 'ERASE', entity: model.code, id, objects, isGone: false });
    await attachments.add(file);
    return { file, state: 'WAITING', link: await this.#linkTo(file) };
  }

  /** Whether an announced file of the caller is there. @throws Problem `UPLOAD_NOT_FOUND` (404) */
  async status(model: EntityModel, id: string, principal: Principal): Promise<AnnouncedFile> {
    const { attachments, files, clock } = this.#deps;
    const file = await attachments.announced(id);
    const isOwn = file?.entity === model.code && isOwnedBy(file, principal);
    if (!isOwn || Date.parse(file.expiresAt) <= clock.now()) {
      throw problems.uploadNotFound({ id });
    }
    await this.#checkWritable(model, file.field, principal);
    const found = await checkUpload(files, objectOf(file), file);
    if (found === 'same') return { file, state: 'UPLOADED' };
    return { file, state: 'WAITING', link: await this.#linkTo(file) };
  }

  /**
   * The file of a record with a link to it, for callers who see the field.
   * @throws Problem `RECORD_NOT_FOUND`, `FILE_NOT_FOUND` (404), `FORBIDDEN` (403)
   */
  async linked(
    model: EntityModel,
    recordId: string,
    field: string,
    principal: Principal,
  ): Promise<LinkedFile> {
    const { reader, attachments, files } = this.#deps;
    const { header, grant } = await reader.get(model, recordId, principal, false, [field]);
    const isSeen = fieldsSeen(model, header, grant)?.has(field) ?? true;
    const id = header.values[field];
    const file =
      isSeen && model.field(field)?.file && typeof id === 'string'
        ? await attachments.ofRecord(model.code, header.id, id)
        : undefined;
    if (!file) throw fileProblems.fileNotFound({ detail: 'The record has no file there.' });
    const { fileName, contentType } = file;
    return { file, url: await files.downloadLink(objectOf(file), { fileName, contentType }) };
  }

  /** @throws Problem `VALIDATION_FAILED` (400), `FORBIDDEN` (403) when the caller writes no such field */
  async #checkWritable(model: EntityModel, code: string, principal: Principal): Promise<void> {
    const { access } = this.#deps;
    const grants = await Promise.all([
      access.grantOf(model, principal, 'add'),
      access.grantOf(model, principal, 'edit'),
    ]);
    const given = grants.filter((grant) => grant !== undefined);
    if (given.length === 0) await access.check(model, principal, 'add');
    const field = model.field(code);
    const isWritable =
      field?.readOnly !== true && given.some(({ fields }) => fields?.has(code) ?? true);
    if (field?.file && isWritable) return;
    const detail = 'must name a field with x-file that the caller may write';
    throw httpProblems.validationFailed([{ pointer: '/field', code: 'UNKNOWN_FIELD', detail }]);
  }

  #linkTo(file: Attachment): Promise<UploadLink> {
    const { sizeBytes, sha256, contentType } = file;
    return this.#deps.files.uploadLink(objectOf(file), { contentType, sizeBytes, sha256 });
  }
}
