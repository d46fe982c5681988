import { checkUpload } from '../../../shared/files/check-upload.ts';
import type { Files } from '../../../shared/files/files.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { isOwnedBy, type Principal } from '../../../shared/security/principal.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import { isUuid } from '../domain/values/ids.ts';
import {
  type Attachment,
  type AttachmentRepository,
  objectOf,
} from '../store/jobs/attachment-repository.ts';
import type { LargeValueStore } from '../store/large-value-store.ts';
import type { OpenWork } from '../store/open-work.ts';

export interface RecordFilesDependencies {
  readonly attachments: AttachmentRepository;
  readonly files: Files;
  readonly largeValues: LargeValueStore;
  readonly openWork: OpenWork;
  readonly clock: Clock;
}

interface Change {
  readonly before: RecordHeader | undefined;
  readonly after: RecordHeader;
  readonly principal: Principal;
}

/** Binds uploaded files to the records that name them, and deletes those that are named no more. */
export class RecordFiles {
  readonly #deps: RecordFilesDependencies;

  constructor(dependencies: RecordFilesDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Stages what follows from the files that a change of a record adds and takes away.
   * @returns the number of writes
   * @throws Problem `VALIDATION_FAILED` (400) for a file that the caller has not announced for this field, or not uploaded
   */
  async stage(unit: UnitOfWork, model: EntityModel, change: Change): Promise<number> {
    const fields = model.definition.fields.filter(({ file }) => file !== undefined);
    if (fields.length === 0) return 0;
    const { before, after } = change;
    const codes = fields.map(({ code }) => code);
    const past = filesOf(before, codes);
    const present = filesOf(after, codes);
    const added = [...present].filter(([id]) => !past.has(id));
    const removed = [...past.keys()].filter((id) => !present.has(id) && isUuid(id));
    for (const [id, field] of added) await this.#take(unit, model, { id, field, change });
    const { attachments, largeValues } = this.#deps;
    for (const id of removed) attachments.stageGone(unit, model.code, after.id, id);
    const objects = removed.map((id) => objectOf({ entity: model.code, id }));
    if (objects.length > 0) largeValues.eraseLater(unit, model.code, after.id, objects);
    return added.length * 3 + removed.length + (removed.length > 0 ? 1 : 0);
  }

  async #take(
    unit: UnitOfWork,
    { code: entity }: EntityModel,
    { id, field, change }: { id: string; field: string; change: Change },
  ): Promise<void> {
    const { attachments, files, openWork, clock } = this.#deps;
    const file = isUuid(id) ? await attachments.announced(id) : undefined;
    const isMeant =
      file?.entity === entity &&
      file.field === field &&
      isOwnedBy(file, change.principal) &&
      Date.parse(file.expiresAt) > clock.now();
    if (!isMeant) throw refusal(field, 'FILE_NOT_FOUND', UNKNOWN);
    const state = await checkUpload(files, objectOf(file), file);
    if (state === 'absent') {
      throw refusal(field, 'FILE_NOT_UPLOADED', 'names a file that is not uploaded yet');
    }
    if (state === 'different') {
      throw refusal(field, 'FILE_MISMATCH', 'names a file that is not the announced one');
    }
    this.#stageTaken(unit, change.after.id, file);
    openWork.stageNeedless(unit, file.work);
  }

  #stageTaken(unit: UnitOfWork, recordId: string, file: Attachment): void {
    const taken = () => refusal(file.field, 'FILE_NOT_FOUND', UNKNOWN);
    this.#deps.attachments.stageTaken(unit, recordId, file, taken);
  }
}

const UNKNOWN =
  'names no file that the caller has announced for this field, or one of another record';

/** The files that a record names, and their fields. @throws Problem `VALIDATION_FAILED` (400) when two name one */
function filesOf(
  header: RecordHeader | undefined,
  codes: readonly string[],
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const code of codes) {
    const id = header?.values[code];
    if (typeof id !== 'string') continue;
    if (files.has(id)) throw refusal(code, 'DUPLICATE', `names the file of ${files.get(id)}`);
    files.set(id, code);
  }
  return files;
}

const refusal = (field: string, code: string, detail: string): Error =>
  httpProblems.validationFailed([{ pointer: `/${field}`, code, detail }]);
