import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import { withoutHiddenErrors } from '../access/hidden-errors.ts';
import type { RecordGrant } from '../access/record-grant.ts';
import { checkVersion, fieldsSeen, isGranted } from '../access/record-rules.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { JsonObject } from '../domain/entity/json.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import {
  changedRecord,
  isSameRecord,
  newRecord,
  nextVersion,
  type Stamp,
  withoutReferences,
} from '../domain/records/change.ts';
import { readInput } from '../domain/records/merge.ts';
import { problems } from '../errors.ts';
import type { DeletionMarks } from '../store/deletion-marks.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import type { RecordReader } from './record-reader.ts';

/** How a record is changed. */
export interface UpdateOptions {
  /** The version the caller read; `*` stands for any. */
  readonly ifMatch?: string | undefined;
  /** Fields that are not sent are cleared. */
  readonly replace?: boolean;
}

export interface RecordDraftsDependencies {
  readonly repository: Pick<RecordRepository, 'findHeaders'>;
  readonly reader: Pick<RecordReader, 'find' | 'decrypted'>;
  readonly marks: DeletionMarks;
  readonly access: EntityAccess;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** A record before and after a checked change. */
export interface Change {
  readonly before: RecordHeader;
  readonly after: RecordHeader;
  /** Whether nothing is to be stored. */
  readonly isSame: boolean;
}

/** Makes records of what callers send, checked by the definition and by what the caller may do; nothing is stored. */
export class RecordDrafts {
  readonly #deps: RecordDraftsDependencies;

  constructor(dependencies: RecordDraftsDependencies) {
    this.#deps = dependencies;
  }

  /** A checked new record, not stored yet. @throws Problem `VALIDATION_FAILED`, `UNKNOWN_FIELD` (400) */
  async created(
    model: EntityModel,
    body: JsonObject,
    principal: Principal,
    grant: RecordGrant,
  ): Promise<RecordHeader> {
    const { presets = {} } = grant;
    const sent = Object.entries(body).filter(([code]) => !Object.hasOwn(presets, code));
    const input = readInput(model, Object.fromEntries(sent), grant.fields);
    const preset = { ...input, values: { ...input.values, ...presets } };
    const id = input.id ?? this.#deps.ids();
    const header = await newRecord(model, preset, id, this.#stamp(principal)).catch(
      async (error: unknown) => {
        const { fields } = await this.#deps.access.seen(model, principal, grant);
        throw withoutHiddenErrors(error, model, Object.keys(body), fields);
      },
    );
    if (!isGranted(model, header, grant)) throw httpProblems.forbidden({});
    return header;
  }

  /**
   * A change of a live record: what is sent replaces, `null` clears, the rest stays.
   * @throws Problem `RECORD_NOT_FOUND` (404), `VERSION_CONFLICT` (412), `PRECONDITION_REQUIRED` (428), `VALIDATION_FAILED`,
   *   `UNKNOWN_FIELD` (400), `FORBIDDEN` (403)
   */
  async changed(
    model: EntityModel,
    id: string,
    body: JsonObject,
    {
      principal,
      grant,
      options,
    }: { principal: Principal; grant: RecordGrant; options: UpdateOptions },
  ): Promise<Change> {
    const { ifMatch, replace = false } = options;
    const before = await this.#live(model, id, grant, ifMatch);
    const input = readInput(model, body, grant.fields);
    const how = { replace, writable: grant.fields };
    const sent = Object.keys(input.values);
    const seen = async () =>
      fieldsSeen(model, before, await this.#deps.access.seen(model, principal, grant));
    const after = await changedRecord(model, before, input, this.#stamp(principal), how).catch(
      async (error: unknown) => {
        throw withoutHiddenErrors(error, model, sent, await seen());
      },
    );
    if (!isGranted(model, after, grant)) throw httpProblems.forbidden({});
    const isSame =
      isSameRecord(before, after) &&
      confirmsNoGuess(model, replace ? undefined : sent, await seen());
    return { before, after, isSame };
  }

  /** A deleted record that comes back, without references that the deletion of their target would have cleared meanwhile. */
  async restored(
    model: EntityModel,
    deleted: RecordHeader,
    principal: Principal,
  ): Promise<RecordHeader> {
    const { deletedAt: _at, deletedBy: _by, deleting: _mark, ...rest } = deleted;
    const next = { ...rest, ...nextVersion(model, deleted, this.#stamp(principal)) };
    return withoutPastReferences(this.#deps.repository, model, next);
  }

  async #live(
    model: EntityModel,
    id: string,
    grant: RecordGrant,
    ifMatch: string | undefined,
  ): Promise<RecordHeader> {
    const stored = await this.#deps.reader.find(model, id, grant);
    if (stored.deletedAt !== undefined) throw problems.recordNotFound({ entity: model.code, id });
    checkVersion(model, stored, ifMatch);
    await this.#deps.marks.refuseLeaving(model.code, stored);
    return this.#deps.reader.decrypted(model, stored);
  }

  #stamp(principal: Principal): Stamp {
    return { at: toInstant(this.#deps.clock.now()), by: principal.id };
  }
}

/**
 * Whether the caller sees every field that a change names. Only then may a change without effect leave the version as it is:
 * otherwise that would confirm guesses at hidden values.
 * @param sent fields that were sent; none when those that were not are cleared
 * @param seen fields that the caller sees; all when there is no list
 */
function confirmsNoGuess(
  model: EntityModel,
  sent: readonly string[] | undefined,
  seen: ReadonlySet<string> | undefined,
): boolean {
  if (!sent) return seen === undefined;
  return sent.every((code) => model.field(code)?.writeOnly !== true && (seen?.has(code) ?? true));
}

async function withoutPastReferences(
  repository: Pick<RecordRepository, 'findHeaders'>,
  model: EntityModel,
  header: RecordHeader,
): Promise<RecordHeader> {
  let { values } = header;
  for (const { code, reference } of model.definition.fields) {
    const value = values[code];
    if (reference?.onDelete !== 'setNull' || value === undefined) continue;
    const ids = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
    const targets = await repository.findHeaders(reference.entity, ids, true);
    const gone = new Set<unknown>(ids.filter((id) => !isLive(targets.get(id))));
    if (gone.size > 0) values = withoutReferences(values, code, (id) => gone.has(id));
  }
  return { ...header, values };
}

const isLive = (header: RecordHeader | undefined): boolean =>
  header !== undefined && header.deletedAt === undefined;
