import type { FieldDefinition, FieldType } from '../entity/field.ts';
import type { GoneField } from '../entity/life.ts';
import { isSameSeries, mayRepeat } from '../values/number-format.ts';

/** Difference of one field between two schemas. */
export interface FieldChange {
  readonly field: string;
  readonly change: 'ADDED' | 'REMOVED' | 'RENAMED' | 'TYPE_CHANGED' | 'TIGHTENED' | 'CHANGED';
  /** Whether stored values can be converted. */
  readonly compatible: boolean;
  /** Whether a job rewrites the rows of stored records. */
  readonly backfill: boolean;
}

const TEXTUAL: ReadonlySet<FieldType> = new Set([
  'STRING',
  'ENUM',
  'TEXT',
  'EMAIL',
  'URI',
  'UUID',
  'DATE',
  'DATETIME',
  'TIME',
  'DECIMAL',
  'REFERENCE',
  'FILE',
]);

/** Lists what changes between the fields of two schemas. */
export function compareFields(
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): FieldChange[] {
  const past = new Map(before.map((field) => [field.code, field]));
  const renamed = new Set(after.flatMap(({ renamedFrom }) => renamedFrom ?? []));
  const present = new Set(after.map(({ code }) => code));
  const removed = before
    .filter(({ code }) => !present.has(code) && !renamed.has(code))
    .map(
      ({ code }): FieldChange => ({
        field: code,
        change: 'REMOVED',
        compatible: true,
        backfill: false,
      }),
    );
  const changed = after.flatMap((field) => {
    const old = past.get(field.code);
    if (old) return changeOf(old, field);
    const isRenamed = field.renamedFrom !== undefined && past.has(field.renamedFrom);
    return [
      {
        field: field.code,
        change: isRenamed ? ('RENAMED' as const) : ('ADDED' as const),
        compatible: !field.required || field.default !== undefined || isRenamed,
        backfill: isRenamed || (field.required && field.default !== undefined),
      },
    ];
  });
  return [...changed, ...removed];
}

/**
 * Fields whose stored values cannot be read in their new type.
 * @param after fields with those whose values they have
 * @param formats those that numbered fields have and had, by code
 */
export function unreadable(
  after: readonly { readonly field: FieldDefinition; readonly olds: readonly GoneField[] }[],
  formats: ReadonlyMap<string, readonly string[]>,
): string[] {
  const isUnreadable = (old: GoneField | undefined, field: FieldDefinition): boolean =>
    hasPastNumbers(old, field, formats) || (old !== undefined && !isWider(old, field));
  return after
    .filter(({ field, olds }) =>
      (olds.length > 0 ? olds : [undefined]).some((old) => isUnreadable(old, field)),
    )
    .map(({ field }) => field.code);
}

/** Whether a number to come may be a value that somebody has written, or a number by a former format. */
function hasPastNumbers(
  old: GoneField | undefined,
  { code, renamedFrom = code, formerCodes = [], numberFormat }: FieldDefinition,
  formats: ReadonlyMap<string, readonly string[]>,
): boolean {
  if (numberFormat === undefined) return false;
  if (old && old.numberFormat === undefined) return true;
  if (old?.numberFormat && isSameSeries(old.numberFormat, numberFormat)) return false;
  const codes = new Set([code, renamedFrom, ...formerCodes]);
  const former = [...codes].flatMap((each) => formats.get(each) ?? []);
  return former.some((format) => mayRepeat(format, numberFormat));
}

/** Fields of constraints where accents begin or cease to make a difference. */
export function retold(
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
  uniques: readonly { readonly fields: readonly string[] }[],
): string[] {
  const past = new Map(before.map((field) => [field.code, field]));
  const claimed = new Set(uniques.flatMap(({ fields }) => fields));
  return after
    .filter(({ code, accents }) => claimed.has(code) && past.get(code)?.accents !== accents)
    .filter(({ code }) => past.has(code))
    .map(({ code }) => code);
}

function changeOf(old: FieldDefinition, field: FieldDefinition): FieldChange[] {
  if (isSameField(old, field)) return [];
  const isType = isRetyped(old, field);
  const tightened = isTighter(old, field);
  return [
    {
      field: field.code,
      change: isType ? 'TYPE_CHANGED' : tightened ? 'TIGHTENED' : 'CHANGED',
      compatible: isType ? isWider(old, field) : !tightened,
      backfill:
        isType ||
        old.searchable !== field.searchable ||
        old.unique !== field.unique ||
        old.encrypted !== field.encrypted ||
        old.facet !== field.facet ||
        (isDefaulted(field) && !isDefaulted(old)),
    },
  ];
}

/** Whether two definitions of a field say the same, apart from when they were made. */
export function isSameField(one: FieldDefinition, other: FieldDefinition): boolean {
  const plain = ({
    schemaVersion: _version,
    order: _order,
    facetSince: _since,
    sealedByForm: _byForm,
    formerCodes: _former,
    ...rest
  }: FieldDefinition): string =>
    JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
  return plain(one) === plain(other);
}

/** Whether values of a field change their type. */
export const isRetyped = (
  old: Pick<FieldDefinition, 'fieldType' | 'elementType'>,
  field: Pick<FieldDefinition, 'fieldType' | 'elementType'>,
): boolean => old.fieldType !== field.fieldType || old.elementType !== field.elementType;

/** Whether a record without a value gets one. */
export const isDefaulted = (
  field: Pick<FieldDefinition, 'required' | 'default'> | undefined,
): boolean => field?.required === true && field.default !== undefined;

function isWider(old: GoneField, field: FieldDefinition): boolean {
  const from = old.fieldType;
  const to = field.fieldType;
  if (from === to) return from !== 'MULTI' || old.elementType === field.elementType;
  if (to === 'MULTI') return field.elementType === from;
  if (from === 'INTEGER' && to === 'NUMBER') return true;
  if (from === 'DATE' && to === 'DATETIME') return true;
  const isPlainText = to === 'STRING' || to === 'TEXT';
  return isPlainText && (TEXTUAL.has(from) || ['INTEGER', 'NUMBER', 'BOOLEAN'].includes(from));
}

function isTighter(old: FieldDefinition, field: FieldDefinition): boolean {
  const isLower = (a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY) => b < a;
  const isHigher = (a = Number.NEGATIVE_INFINITY, b = Number.NEGATIVE_INFINITY) => b > a;
  const values = old.enum ?? [];
  return (
    (field.required && !old.required && field.default === undefined) ||
    isLower(old.maximum, field.maximum) ||
    isLower(old.maxLength, field.maxLength) ||
    isHigher(old.minimum, field.minimum) ||
    isHigher(old.minLength, field.minLength) ||
    (field.pattern !== undefined && field.pattern !== old.pattern) ||
    (field.enum !== undefined &&
      (old.enum === undefined || values.some((value) => !field.enum?.includes(value))))
  );
}
