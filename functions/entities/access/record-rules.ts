import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { SYSTEM_FIELDS } from '../domain/entity/entity.ts';
import type { RecordHeader } from '../domain/entity/record.ts';
import {
  allOf,
  conjuncts,
  everything,
  type Filter,
  fieldsOf,
  matches,
} from '../domain/query/filter.ts';
import { ownField, type SortKey } from '../domain/query/order.ts';
import { nothingToSearch } from '../domain/query/parse-filter.ts';
import { recordWords } from '../domain/records/index-rows.ts';
import { problems } from '../errors.ts';
import type { RecordGrant } from './record-grant.ts';

/** Whether a record is visible to a caller. */
export function isGranted(
  model: EntityModel,
  header: RecordHeader,
  { filter }: Pick<RecordGrant, 'filter'>,
): boolean {
  return matches(filter, header, model, (each, fields = model.wordFields) =>
    recordWords(fields, each),
  );
}

export const NO_FIELDS: ReadonlySet<string> = new Set();

/** The fields that are in both lists; a missing list excludes nothing. */
export function common(
  one: ReadonlySet<string> | undefined,
  other: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  return one && other ? one.intersection(other) : (one ?? other);
}

/** The fields that a caller sees of a record; all when there is no list. */
export const fieldsSeen = (
  model: EntityModel,
  header: RecordHeader,
  seen: RecordGrant,
): ReadonlySet<string> | undefined => (isGranted(model, header, seen) ? seen.fields : NO_FIELDS);

/**
 * The records that a caller asks for, of those that are seen. Hidden fields cannot be inferred by filtering, sorting
 * or searching: words are looked for in the others.
 * @throws Problem `FORBIDDEN` (403) when a hidden field is named, `INVALID_PARAMETER` (400) when `q` finds nothing
 */
export function withinGrant(
  model: EntityModel,
  asked: Filter,
  order: readonly SortKey[],
  { filter, fields }: RecordGrant,
): Filter {
  if (!fields) return allOf([asked, filter]);
  const named = [...fieldsOf(asked), ...order.map(ownField)];
  const hidden = named.find((field) => !fields.has(field) && !SYSTEM.has(field));
  if (hidden !== undefined) {
    throw httpProblems.forbidden({}, { detail: `The caller is not allowed to see ${hidden}.` });
  }
  return allOf([asked, ...conjuncts(asked).map((part) => seenWords(model, part, fields)), filter]);
}

/** Limits a search for words to the fields that are seen. Rows of the index do not say which field a word is of, so the record decides. */
function seenWords(model: EntityModel, part: Filter, fields: ReadonlySet<string>): Filter {
  if (part.kind !== 'words') return everything;
  const seen = model.wordFields.filter((field) => fields.has(field));
  if (seen.length === 0) throw nothingToSearch();
  if (seen.length === model.wordFields.length) return everything;
  return { kind: 'words in', words: part.words, fields: seen };
}

/** Whether a grant hides rows or fields from the caller. */
export const isNarrowed = ({ filter, fields }: RecordGrant): boolean =>
  filter.kind !== 'all' || fields !== undefined;

const SYSTEM: ReadonlySet<string> = new Set([...SYSTEM_FIELDS, 'parentId']);

/** @throws Problem `VERSION_CONFLICT` (412), `PRECONDITION_REQUIRED` (428) */
export function checkVersion(
  { definition }: EntityModel,
  { version }: RecordHeader,
  ifMatch: string | undefined,
): void {
  if (ifMatch === undefined) {
    if (definition.options.requireIfMatch) throw problems.preconditionRequired();
    return;
  }
  if (ifMatch !== '*' && ifMatch !== String(version)) {
    throw httpProblems.versionConflict(
      { expected: ifMatch, actual: version },
      { extensions: { current: version, currentVersion: version } },
    );
  }
}
