import { isDecimal } from '../values/decimal.ts';
import { toPlainText } from '../values/plain-text.ts';
import { type DataType, isNumeric, isTemporal } from './data-type.ts';
import { type FieldFormat, parseFieldFormat } from './field-format.ts';
import { inLetterCase } from './letter-case.ts';
import { type FormatSettings, yesNo } from './locale-defaults.ts';
import { type MarkerFormat, parseMarkerFormat } from './marker-format.ts';
import { showDate } from './show-date.ts';
import { showNumber } from './show-number.ts';
import { textOf } from './text-of.ts';

/** What a field says about how its values are shown. */
export interface ValueFormat {
  readonly dataType: DataType;
  readonly format?: string | null | undefined;
}

export type FormatWarning =
  | 'FORMAT_FAILED'
  | 'SWITCH_IGNORED'
  | 'CONTROL_CHARACTERS_REMOVED'
  | 'VALUE_TRUNCATED';

export interface FormattedValue {
  readonly text: string;
  readonly warnings: readonly { readonly code: FormatWarning; readonly message: string }[];
}

/**
 * The text of a value at one marker: the marker's own switches go before the format of the field, and that before what
 * is usual for the type. A value that does not fit its type or format is shown as it is, with `FORMAT_FAILED`.
 * @param switches what stands after the name in the marker
 */
export function formatValue(
  value: unknown,
  field: ValueFormat,
  switches: string | null | undefined,
  settings: FormatSettings,
): FormattedValue {
  const declared = parseFieldFormat(field.format, field.dataType);
  const format = joinFormats(declared?.marker, parseMarkerFormat(switches));
  const warnings = new Map<FormatWarning, string>();
  if (declared === undefined)
    warnings.set('FORMAT_FAILED', 'The format of the field means nothing.');
  if (format.ignored.length > 0)
    warnings.set('SWITCH_IGNORED', format.ignored.join(' ').slice(0, 200));
  const shown = isEmpty(value)
    ? (format.fallback ?? '')
    : show(value, field.dataType, format, declared, settings);
  if (shown === undefined)
    warnings.set('FORMAT_FAILED', `The value does not fit ${describe(field, format)}.`);
  const plain = toPlainText(shown ?? textOf(value, yesNo(settings.locale), declared?.separator));
  if (plain.isCleaned)
    warnings.set('CONTROL_CHARACTERS_REMOVED', 'The value has characters that no document holds.');
  if (plain.isTruncated)
    warnings.set('VALUE_TRUNCATED', 'The value is longer than 100000 characters.');
  return {
    text: finished(plain.text, format, settings.locale),
    warnings: [...warnings].map(([code, message]) => ({ code, message })),
  };
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

const describe = (
  { dataType }: ValueFormat,
  { datePicture, numberPicture }: MarkerFormat,
): string =>
  `${dataType}${(datePicture ?? numberPicture) ? ` and "${datePicture ?? numberPicture}"` : ''}`;

const SHOWS_VALUE = [
  'datePicture',
  'numberPicture',
  'currency',
  'isPercent',
  'words',
  'numeral',
  'media',
] as const;

/** The format of a marker in front of that of its field: any picture of the marker replaces the field's. */
function joinFormats(field: MarkerFormat | undefined, marker: MarkerFormat): MarkerFormat {
  if (field === undefined) return marker;
  const isShown = SHOWS_VALUE.some((name) => marker[name] !== undefined);
  const base = isShown ? { fallback: field.fallback } : field;
  return {
    ...base,
    ...marker,
    fallback: marker.fallback ?? field.fallback,
    cases: marker.cases.length > 0 ? marker.cases : field.cases,
    before: marker.before === '' ? field.before : marker.before,
    after: marker.after === '' ? field.after : marker.after,
  };
}

function show(
  value: unknown,
  type: DataType,
  format: MarkerFormat,
  declared: FieldFormat | undefined,
  settings: FormatSettings,
): string | undefined {
  if (format.datePicture !== undefined) return showDate(value, type, format.datePicture, settings);
  if (isNumberShown(format)) return showNumber(value, type, format, settings);
  if (isNumeric(type)) return showNumber(value, type, format, settings);
  if (isTemporal(type)) return showDate(value, type, undefined, settings);
  const words = declared?.words ?? yesNo(settings.locale);
  if (type === 'BOOLEAN') return showBoolean(value, words);
  if (type === 'LIST')
    return isTextual(value, 1) ? textOf(value, words, declared?.separator) : undefined;
  return isTextual(value, 0) ? textOf(value, words) : undefined;
}

const isNumberShown = ({
  words,
  numeral,
  numberPicture,
  currency,
  isPercent,
}: MarkerFormat): boolean =>
  words !== undefined ||
  numeral !== undefined ||
  numberPicture !== undefined ||
  currency !== undefined ||
  isPercent === true;

function showBoolean(value: unknown, [yes, no]: readonly [string, string]): string | undefined {
  if (value === true || value === 'true') return yes;
  return value === false || value === 'false' ? no : undefined;
}

/** Whether a value is text, or a list of texts where lists of that depth are looked into. */
function isTextual(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return depth > 0 && value.every((part) => isTextual(part, depth - 1));
  return typeof value !== 'object' || value === null || isDecimal(value);
}

function finished(text: string, { cases, before, after }: MarkerFormat, locale: string): string {
  const cased = cases.reduce(
    (changed, letterCase) => inLetterCase(changed, letterCase, locale),
    text,
  );
  return cased === '' ? '' : `${before}${cased}${after}`;
}
