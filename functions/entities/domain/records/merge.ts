import { unknownName } from '../../../../shared/primitives/nearest-name.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import type { EntityModel } from '../definitions/model.ts';
import { SYSTEM_FIELDS } from '../entity/entity.ts';
import type { JsonObject } from '../entity/json.ts';
import { itemAt, pointerTo } from '../entity/pointer.ts';
import { storableErrors } from '../schema/storable.ts';
import { asId, isUuid } from '../values/ids.ts';
import { MAX_ROW_KEY_BYTES, overlongKeys } from './index-rows.ts';

/** Parsed body of a record call. */
export interface RecordInput {
  /** Values by field code; `null` clears a field. */
  readonly values: JsonObject;
  /** `undefined`: not sent; `null`: to the root. */
  readonly parentId: string | null | undefined;
  /** Id that the caller chose for a new record. */
  readonly id: string | undefined;
}

/** All values of a record, in bytes of their JSON: it is read and shown as a whole. */
const MAX_RECORD_BYTES = 15_000_000;
/** Members that are no fields: their number, and the bytes of one of their names and of all, as JSON. */
const MAX_MEMBERS = 5_000;
const MAX_NAME_BYTES = 258;
const MAX_NAMES_BYTES = 100_000;
/** Records that one may refer to: each is checked in the transaction of a change. */
const MAX_REFERENCES = 50;
/** Most elements of a multi-valued field: each has its own row. */
const MAX_ELEMENTS = 50;
const IGNORED: ReadonlySet<string> = new Set([...SYSTEM_FIELDS, 'deletedAt', 'deletedBy']);

/**
 * Parses the body of a record call. System fields are ignored, so that a read record can be sent back.
 * @param writable fields the caller may write; all when there is no list.
 * @throws Problem `UNKNOWN_FIELD`, `VALIDATION_FAILED` (400), `FORBIDDEN` (403)
 */
export function readInput(
  model: EntityModel,
  body: JsonObject,
  writable: ReadonlySet<string> | undefined,
): RecordInput {
  const { hierarchical } = model.definition;
  const codes = Object.keys(body).filter(
    (code) => !IGNORED.has(code) && !(code === 'parentId' && hierarchical),
  );
  const unknown = codes.filter((code) => {
    const isDangerous = code === '__proto__' || code === 'constructor' || code === 'prototype';
    return isDangerous || (!model.field(code) && !model.isMember(code));
  });
  if (unknown.length > 0) {
    const known = model.definition.fields
      .map(({ code }) => code)
      .filter((code) => writable?.has(code) ?? true);
    throw httpProblems.unknownField(
      unknown.map((code) => item(code, 'UNKNOWN_FIELD', unknownName(code, known))),
    );
  }
  const sent = codes.filter((code) => model.field(code)?.readOnly !== true);
  const refused = writable ? sent.filter((code) => !writable.has(code)) : [];
  if (refused.length > 0) {
    throw httpProblems.forbidden(
      {},
      { errors: refused.map((code) => item(code, 'FORBIDDEN', 'is not writable for the caller')) },
    );
  }
  return {
    values: Object.fromEntries(sent.map((code) => [code, body[code]])),
    parentId:
      hierarchical && Object.hasOwn(body, 'parentId')
        ? readId('parentId', body.parentId)
        : undefined,
    id: body.id === undefined ? undefined : (readId('id', body.id) ?? undefined),
  };
}

/** Ids of records as they are stored, whatever the case they were sent in. */
function asIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asIds);
  return typeof value === 'string' ? asId(value) : value;
}

function readId(code: string, value: unknown): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
  throw httpProblems.validationFailed([item(code, 'FORMAT', 'must be a UUID')]);
}

/**
 * Merges new values into the previous ones and validates the result. `null` clears a field.
 * @param before values of the record; empty for a new one.
 * @returns the values to store.
 * @throws Problem `VALIDATION_FAILED` (400), naming every mistake
 */
export async function mergeValues(
  model: EntityModel,
  before: JsonObject,
  values: JsonObject,
): Promise<Record<string, unknown>> {
  const merged: Record<string, unknown> = { ...before };
  for (const [code, value] of Object.entries(values)) {
    if (value === null) delete merged[code];
    else merged[code] = model.field(code)?.reference ? asIds(value) : value;
  }
  const isVisible = (code: string): boolean =>
    model.field(code) !== undefined || model.isMember(code);
  const visible = Object.fromEntries(Object.entries(merged).filter(([code]) => isVisible(code)));
  const unstorable = storableErrors(values, '');
  if (unstorable.length > 0) throw httpProblems.validationFailed(unstorable.slice(0, 100));
  const errors = [
    ...nameErrors(model, visible, before),
    ...(await model.validate(visible)),
    ...limitErrors(model, visible),
    ...keyErrors(model, visible),
    ...referenceErrors(model, visible),
    ...sizeErrors(merged),
  ];
  if (errors.length > 0) throw httpProblems.validationFailed(errors.slice(0, 100));
  const hidden = Object.entries(merged).filter(([code]) => !isVisible(code));
  return { ...visible, ...Object.fromEntries(hidden) };
}

/** Members of an open-ended record that are no fields: history and events name all that have changed. */
function nameErrors(model: EntityModel, visible: JsonObject, before: JsonObject): ProblemItem[] {
  const bytesOf = (name: string): number => Buffer.byteLength(JSON.stringify(name));
  const isOpen = (name: string): boolean => model.field(name) === undefined;
  const all = Object.keys(visible).filter(isOpen);
  const added = all.filter((name) => !Object.hasOwn(before, name));
  if (added.length === 0) return [];
  const errors = added
    .filter((name) => bytesOf(name) > MAX_NAME_BYTES)
    .map((name) => item(name, 'TOO_LONG', `has a name of more than ${MAX_NAME_BYTES} bytes`));
  const bytes = all.reduce((sum, name) => sum + bytesOf(name), 0);
  const isWithin = all.length <= MAX_MEMBERS && bytes <= MAX_NAMES_BYTES;
  if (errors.length > 0 || isWithin) return errors;
  const detail = `is one too many: a record has at most ${MAX_MEMBERS} members that are no fields of its form, with names of ${MAX_NAMES_BYTES} bytes together`;
  return [item(added.at(-1) ?? '', 'TOO_MANY', detail)];
}

function limitErrors({ definition }: EntityModel, values: JsonObject): ProblemItem[] {
  return definition.fields.flatMap(({ code, fieldType, searchable }) => {
    const value = values[code];
    if (
      fieldType === 'MULTI' &&
      searchable &&
      Array.isArray(value) &&
      value.length > MAX_ELEMENTS
    ) {
      return [item(code, 'MAX_ITEMS', `must have at most ${MAX_ELEMENTS} items`)];
    }
    const isUnsafe = Number.isInteger(value) && !Number.isSafeInteger(value);
    return fieldType === 'INTEGER' && isUnsafe
      ? [item(code, 'MAXIMUM', 'must be between -2^53 and 2^53; use text with the format decimal')]
      : [];
  });
}

/** Values that no key of an index over several fields holds, named by the longest of them. */
function keyErrors(model: EntityModel, values: JsonObject): ProblemItem[] {
  return overlongKeys(model, { values }).map(({ fields, bytes }) => {
    const [longest = ''] = fields.toSorted(
      (one, other) => sizeOf(values[other]) - sizeOf(values[one]),
    );
    const detail = `is too long: the values of ${fields.join(', ')}, which x-indexes combines, take ${bytes} bytes of at most ${MAX_ROW_KEY_BYTES}`;
    return item(longest, 'TOO_LONG', detail);
  });
}

function referenceErrors({ definition }: EntityModel, values: JsonObject): ProblemItem[] {
  const checked = definition.fields.filter(
    ({ code, reference }) =>
      reference && reference.onDelete !== 'none' && values[code] !== undefined,
  );
  const count = checked.reduce((sum, { code }) => {
    const value = values[code];
    return sum + (Array.isArray(value) ? new Set(value).size : 1);
  }, 0);
  const last = checked.at(-1);
  if (!last || count <= MAX_REFERENCES) return [];
  const detail = `refers to more records than the ${MAX_REFERENCES} that the references of one may name`;
  return [item(last.code, 'MAX_ITEMS', detail)];
}

function sizeErrors(values: JsonObject): ProblemItem[] {
  const sizes = Object.entries(values).map(([code, value]) => ({
    code,
    bytes: Buffer.byteLength(JSON.stringify(value) ?? ''),
  }));
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  if (bytes <= MAX_RECORD_BYTES) return [];
  const largest = sizes.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  const detail = `is too long: the values of a record take at most ${MAX_RECORD_BYTES} bytes, not ${bytes}`;
  return [item(largest.code, 'TOO_LONG', detail)];
}

const sizeOf = (value: unknown): number => Buffer.byteLength(String(value ?? ''));

const item = (code: string, rule: string, detail: string): ProblemItem =>
  itemAt(pointerTo(code), rule, detail);
