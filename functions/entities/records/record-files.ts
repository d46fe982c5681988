import { checkUpload } from '../../../shared/files/check-upload.ts';
import type { Files } from '../../../shared/files/files.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { isOwnedBy, type Principal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { FieldDefinition } from '../domain/entity/field.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { announcementErrors } from '../domain/values/file-rules.ts';
import { isUuid } from '../domain/values/ids.ts';
import {
  type Attachment,
  type AttachmentRepository,
  afterLinks,
  objectOf,
} from '../store/jobs/attachment-repository.ts';
import type { OpenWork } from '../store/open-work.ts';
import type { LargeValueStore } from '../store/values/large-value-store.ts';

export interface RecordFilesDependencies {
  readonly attachments: AttachmentRepository;
  readonly files: Files;
  readonly largeValues: LargeValueStore;
  readonly openWork: OpenWork;
  readonly clock: Clock;
}

/** Writes that each new file adds to the transaction of its record. */
export const WRITES_OF_NEW_FILE = 3;

interface Change {
  readonly before: RecordHeader | undefined;
  readonly after: RecordHeader;
  readonly principal: Principal;
}

interface PlannedFiles {
  readonly added: readonly Attachment[];
  readonly removed: readonly Attachment[];
  /** Those of the removed that a link may still upload. */
  readonly recent: readonly Attachment[];
}

/** Binds uploaded files to the records that name them, and deletes those that are named no more. */
export class RecordFiles {
  readonly #deps: RecordFilesDependencies;
  readonly #taken = new WeakMap<UnitOfWork, Set<string>>();

  constructor(dependencies: RecordFilesDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Stages what follows from the files that a change of a record adds and takes away.
   * @returns the number of writes
   * @throws Problem `VALIDATION_FAILED` (400) for a file that the caller has not announced for this field, or not uploaded
   */
  async stage(unit: UnitOfWork, model: EntityModel, change: Change): Promise<number> {
    const { code } = model;
    const { id: recordId } = change.after;
    const planned = await this.#planned(model, change, this.#takenIn(unit));
    for (const file of planned.added) this.#stageTaken(unit, recordId, file);
    for (const { id } of planned.removed) {
      this.#deps.attachments.stageGone(unit, code, recordId, id);
    }
    this.#eraseLater(unit, code, recordId, planned);
    return countWrites(planned);
  }

  /**
   * Dry run of a change.
   * @param taken ids of the files that other changes take; it gets those of this one
   * @returns the number of writes
   * @throws what `stage` throws, but for races
   */
  async check(model: EntityModel, change: Change, taken: Set<string>): Promise<number> {
    return countWrites(await this.#planned(model, change, taken));
  }

  /** What follows from the files that a change of a record adds and takes away. */
  async #planned(model: EntityModel, change: Change, taken: Set<string>): Promise<PlannedFiles> {
    const { added, left } = await this.#checked(model, change, taken);
    const removed = await this.#owned(model.code, change.after.id, left);
    const now = this.#deps.clock.now();
    const recent = removed.filter(
      ({ expiresAt }) => Date.parse(afterLinks(Date.parse(expiresAt))) > now,
    );
    return { added, removed, recent };
  }

  /** The files that a change adds, and the ids of those that it takes away. */
  async #checked(
    model: EntityModel,
    { before, after, principal }: Change,
    taken: Set<string>,
  ): Promise<{ readonly added: readonly Attachment[]; readonly left: readonly string[] }> {
    const fields = model.definition.fields.filter(({ file }) => file !== undefined);
    if (fields.length === 0) return { added: [], left: [] };
    const past = fieldsByFile(before, fields);
    const present = fieldsByFile(after, fields);
    refuseShared(before, after, fields);
    const added: Attachment[] = [];
    for (const [id, field] of present) {
      if (!past.has(id)) added.push(await this.#free(model, { id, field, principal }, taken));
      else if (before?.values[field] !== id) await this.#checkMoved(model, after.id, id, field);
    }
    for (const { id } of added) taken.add(id);
    return { added, left: [...past.keys()].filter((id) => !present.has(id)) };
  }

  /** Those of the ids that are files of the record. Before it had `x-file`, a field may have held any text. */
  async #owned(entity: string, recordId: string, ids: readonly string[]): Promise<Attachment[]> {
    const { attachments } = this.#deps;
    const files = await Promise.all(
      ids.filter(isUuid).map((id) => attachments.ofRecord(entity, recordId, id)),
    );
    return files.filter((file) => file !== undefined);
  }

  /** Has files erased now, and once more when their upload links have expired. */
  #eraseLater(
    unit: UnitOfWork,
    entity: string,
    recordId: string,
    { removed, recent }: PlannedFiles,
  ): void {
    const { largeValues, clock } = this.#deps;
    if (removed.length > 0) {
      largeValues.eraseLater(unit, entity, recordId, removed.map(objectOf));
    }
    if (recent.length > 0) {
      const later = afterLinks(clock.now());
      largeValues.eraseLater(unit, entity, recordId, recent.map(objectOf), later);
    }
  }

  /** A file of the record that comes to another of its fields, which has rules of its own. */
  async #checkMoved(
    model: EntityModel,
    recordId: string,
    id: string,
    field: string,
  ): Promise<void> {
    const { attachments } = this.#deps;
    const file = isUuid(id) ? await attachments.ofRecord(model.code, recordId, id) : undefined;
    if (!file) throw refusal(field, 'FILE_NOT_FOUND', UNKNOWN);
    this.#checkRules(model, field, file);
  }

  /** @throws Problem `VALIDATION_FAILED` (400) for a file that its field does not take by now */
  #checkRules(model: EntityModel, field: string, file: Attachment): void {
    const rules = model.field(field)?.file;
    const errors = announcementErrors(rules, file, this.#deps.files.maxUploadBytes);
    if (errors.length === 0) return;
    throw httpProblems.validationFailed(
      errors.map((error) => ({ ...error, pointer: `/${field}` })),
    );
  }

  /** A file that a record may take: uploaded, and announced by the caller for the field. */
  async #free(
    model: EntityModel,
    { id, field, principal }: { id: string; field: string; principal: Principal },
    taken: ReadonlySet<string>,
  ): Promise<Attachment> {
    const { attachments, files, clock } = this.#deps;
    const file = isUuid(id) ? await attachments.announced(id) : undefined;
    const isMeant =
      file?.entity === model.code &&
      (file.entityId ?? model.definition.id) === model.definition.id &&
      file.field === field &&
      isOwnedBy(file, principal) &&
      Date.parse(file.expiresAt) > clock.now();
    if (!isMeant || taken.has(id)) throw refusal(field, 'FILE_NOT_FOUND', UNKNOWN);
    this.#checkRules(model, field, file);
    const state = await checkUpload(files, objectOf(file), file);
    if (state === 'same') return file;
    if (state === 'different') {
      throw refusal(field, 'FILE_MISMATCH', 'names a file that is not the announced one');
    }
    throw refusal(field, 'FILE_NOT_UPLOADED', 'names a file that is not uploaded yet');
  }

  /** The files that records of the unit have taken: a transaction writes an item once. */
  #takenIn(unit: UnitOfWork): Set<string> {
    const taken = this.#taken.get(unit) ?? new Set();
    this.#taken.set(unit, taken);
    return taken;
  }

  #stageTaken(unit: UnitOfWork, recordId: string, file: Attachment): void {
    const { attachments, openWork } = this.#deps;
    const otherwise = () => refusal(file.field, 'FILE_NOT_FOUND', UNKNOWN);
    attachments.stageTaken(unit, recordId, file, otherwise);
    openWork.stageNeedless(unit, file.work);
  }
}

const countWrites = ({ added, removed, recent }: PlannedFiles): number =>
  added.length * WRITES_OF_NEW_FILE +
  removed.length +
  Math.min(1, removed.length) +
  Math.min(1, recent.length);

const UNKNOWN =
  'names no file that the caller has announced for this field, or one of another record';

type FileFields = readonly Pick<FieldDefinition, 'code'>[];

/** The files that a record names, with the first field that does. */
function fieldsByFile(
  header: RecordHeader | undefined,
  fields: FileFields,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { code } of fields) {
    const id = header?.values[code];
    if (typeof id === 'string' && !found.has(id)) found.set(id, code);
  }
  return found;
}

/** @throws Problem `VALIDATION_FAILED` (400) when a change makes two fields name one file */
function refuseShared(
  before: RecordHeader | undefined,
  after: RecordHeader,
  fields: FileFields,
): void {
  const isNew = (code: string): boolean => before?.values[code] !== after.values[code];
  const first = fieldsByFile(after, fields);
  for (const { code } of fields) {
    const id = after.values[code];
    const other = typeof id === 'string' ? first.get(id) : undefined;
    if (other === undefined || other === code || !(isNew(code) || isNew(other))) continue;
    throw refusal(code, 'DUPLICATE', 'names the file of another field');
  }
}

const refusal = (field: string, code: string, detail: string): Error =>
  httpProblems.validationFailed([{ pointer: `/${field}`, code, detail }]);
