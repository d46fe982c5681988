import type { FieldType } from '../entity/field.ts';
import { cutToBytes, fold, MAX_KEY_BYTES } from './folding.ts';
import { asId } from './ids.ts';
import { encodeDate, encodeDateTime, encodeTime } from './instants.ts';
import { DECIMAL, encodeDecimal, encodeNumber } from './numbers.ts';

/** Comparisons that a filter may use. */
export type Operator =
  | 'eq'
  | 'ne'
  | 'in'
  | 'nin'
  | 'eqi'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'between'
  | 'startsWith'
  | 'contains'
  | 'endsWith'
  | 'null'
  | 'exists';

/** Encodes, compares and parses the values of a field type. */
export interface Codec {
  /** Order-preserving encoding of a value; `undefined` for a value of another type. */
  encode(value: unknown): string | undefined;
  /** Whether two values are the same exactly when their encodings are. */
  readonly isExact: boolean;
  /** Parses an operand of a query; `undefined` when it is invalid. */
  read(operand: unknown): unknown;
  readonly operators: readonly Operator[];
  /** Description of a valid operand. */
  readonly expects: string;
}

const PRESENCE = ['null', 'exists'] as const;
const EQUALITY = ['eq', 'ne', 'in', 'nin', ...PRESENCE] as const;
const ORDER = [...EQUALITY, 'gt', 'gte', 'lt', 'lte', 'between'] as const;
const TEXT = [...ORDER, 'eqi', 'startsWith', 'contains', 'endsWith'] as const;

const MAX_TEXT_WORDS = 'a text of at most 1000 characters';

const readText = (operand: unknown): unknown => (typeof operand === 'string' ? operand : undefined);

const foldedText: Codec = {
  encode: (value) =>
    typeof value === 'string' ? cutToBytes(fold(value), MAX_KEY_BYTES) : undefined,
  isExact: false,
  read: readText,
  operators: TEXT,
  expects: MAX_TEXT_WORDS,
};

const plainText: Codec = {
  encode: (value) =>
    typeof value === 'string'
      ? cutToBytes(
          value
            .toWellFormed()
            .toLowerCase()
            .replace(/\p{Cc}/gu, ''),
          MAX_KEY_BYTES,
        )
      : undefined,
  isExact: false,
  read: readText,
  operators: EQUALITY,
  expects: MAX_TEXT_WORDS,
};

/** Ids of records; a query may write them in upper case. */
const reference: Codec = {
  ...plainText,
  read: (operand) => (typeof operand === 'string' ? asId(operand) : undefined),
};

const textual = (encode: (text: string) => string | undefined, expects: string): Codec => ({
  encode: (value) => (typeof value === 'string' ? encode(value) : undefined),
  isExact: true,
  read: (operand) =>
    typeof operand === 'string' && encode(operand) !== undefined ? operand : undefined,
  operators: ORDER,
  expects,
});

const NUMERAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const readNumber = (operand: unknown): number | undefined => {
  if (typeof operand === 'number') return Number.isFinite(operand) ? operand : undefined;
  if (typeof operand !== 'string' || !NUMERAL.test(operand)) return undefined;
  const value = Number(operand);
  return Number.isFinite(value) ? value : undefined;
};

const numeric = (accepts: (value: number) => boolean, expects: string): Codec => ({
  encode: (value) =>
    typeof value === 'number' && Number.isFinite(value) ? encodeNumber(value) : undefined,
  isExact: true,
  read: (operand) => {
    const value = readNumber(operand);
    return value !== undefined && accepts(value) ? value : undefined;
  },
  operators: ORDER,
  expects,
});

const decimal: Codec = {
  encode: (value) => (typeof value === 'string' ? encodeDecimal(value) : undefined),
  isExact: true,
  read: (operand) => {
    const text = typeof operand === 'number' ? String(operand) : operand;
    return typeof text === 'string' && DECIMAL.test(text) && encodeDecimal(text) !== undefined
      ? text
      : undefined;
  },
  operators: ORDER,
  expects: 'a decimal number of at most 38 digits',
};

const boolean: Codec = {
  encode: (value) => (typeof value === 'boolean' ? (value ? '1' : '0') : undefined),
  isExact: true,
  read: (operand) => {
    if (typeof operand === 'boolean') return operand;
    return operand === 'true' ? true : operand === 'false' ? false : undefined;
  },
  operators: EQUALITY,
  expects: 'true or false',
};

const opaque: Codec = {
  encode: () => undefined,
  isExact: false,
  read: () => undefined,
  operators: [],
  expects: 'a value',
};

const codecs: Readonly<Record<FieldType, Codec>> = {
  STRING: foldedText,
  ENUM: foldedText,
  TEXT: foldedText,
  EMAIL: foldedText,
  URI: foldedText,
  UUID: plainText,
  REFERENCE: reference,
  DATE: textual(encodeDate, 'a date such as 2026-12-31 or today-7d'),
  DATETIME: textual(encodeDateTime, 'an instant such as 2026-12-31T23:59:59Z, now-2h or today'),
  TIME: textual(encodeTime, 'a time such as 23:59:59Z'),
  INTEGER: numeric(Number.isInteger, 'a whole number'),
  NUMBER: numeric(() => true, 'a number'),
  DECIMAL: decimal,
  BOOLEAN: boolean,
  MULTI: opaque,
  JSON: opaque,
  FILE: opaque,
};

/** The codec of a field type; a field of many values uses that of its elements. */
export function codecOf({
  fieldType,
  elementType,
}: {
  readonly fieldType: FieldType;
  readonly elementType?: FieldType;
}): Codec {
  return codecs[fieldType === 'MULTI' ? (elementType ?? 'JSON') : fieldType];
}
