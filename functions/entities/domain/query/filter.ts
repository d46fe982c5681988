import type { EntityModel, Entry } from '../definitions/model.ts';
import type { RecordHeader } from '../entity/record.ts';
import type { Operator } from '../values/codecs.ts';
import { compareKeys, fold, isSameValue } from '../values/folding.ts';

/** An operand of a comparison: the value and the key it has in an index. */
export interface Operand extends Entry {
  /** The word that the caller wrote for a time: `today`. */
  readonly named?: string;
}

/** One comparison of a field. */
export interface Comparison {
  readonly kind: 'test';
  readonly field: string;
  readonly op: Operator;
  readonly operands: readonly Operand[];
  /** Keys of the operands, where there are many. */
  readonly keys?: ReadonlySet<string>;
  /** Whether equal keys mean equal values. */
  readonly isExact: boolean;
  /** Whether the field may have several values. */
  readonly isMany: boolean;
}

/** A condition on records. */
export type Filter =
  | { readonly kind: 'all' }
  | Comparison
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  /** Every word begins a word of the record. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** The same within these fields only; no index decides it. */
  | {
      readonly kind: 'words in';
      readonly words: readonly string[];
      readonly fields: readonly string[];
    };

/** The words of a record that `q` finds, in some of the fields that it searches or in all. */
export type WordsOf = (header: RecordHeader, fields?: readonly string[]) => readonly string[];

/** The condition that matches every record. */
export const everything: Filter = { kind: 'all' };

/** All conditions together; nested ones become one list. */
export function allOf(parts: readonly Filter[]): Filter {
  const flat = parts.flatMap((part) =>
    part.kind === 'and' ? part.parts : part.kind === 'all' ? [] : [part],
  );
  const [only] = flat;
  return flat.length === 0
    ? everything
    : flat.length === 1 && only
      ? only
      : { kind: 'and', parts: flat };
}

/** The conditions that must all hold. */
export function conjuncts(filter: Filter): readonly Filter[] {
  return filter.kind === 'and' ? filter.parts : filter.kind === 'all' ? [] : [filter];
}

/** Whether a record matches a condition. */
export function matches(
  filter: Filter,
  header: RecordHeader,
  model: EntityModel,
  words: WordsOf,
): boolean {
  switch (filter.kind) {
    case 'all':
      return true;
    case 'and':
      return filter.parts.every((part) => matches(part, header, model, words));
    case 'or':
      return filter.parts.some((part) => matches(part, header, model, words));
    case 'not':
      return !matches(filter.part, header, model, words);
    case 'words':
      return begin(words(header), filter.words);
    case 'words in':
      return begin(words(header, filter.fields), filter.words);
    case 'test':
      return holds(filter, model.queryField(filter.field)?.entries(header) ?? []);
  }
}

/** Whether every wanted word begins one that is there. */
const begin = (present: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((word) => present.some((each) => each.startsWith(word)));

/** Whether a comparison holds for the values of a field; of many values one must match. */
export function holds(test: Comparison, entries: readonly Entry[]): boolean {
  switch (test.op) {
    case 'null':
    case 'exists':
      return (
        ((entries.length === 0) === (test.op === 'null')) === (test.operands[0]?.value === true)
      );
    case 'ne':
    case 'nin':
      return !entries.some((entry) =>
        test.operands.some((operand) => isEqual(test, entry, operand)),
      );
    default:
      return entries.some((entry) => fits(test, entry));
  }
}

function fits(test: Comparison, entry: Entry): boolean {
  const { op, operands } = test;
  const [first, second] = operands;
  if (!first) return false;
  switch (op) {
    case 'eq':
    case 'in':
      if (test.keys) return test.keys.has(entry.key);
      return operands.some((operand) => isEqual(test, entry, operand));
    case 'gt':
      return isAfter(entry, first);
    case 'gte':
      return !isAfter(first, entry);
    case 'lt':
      return isAfter(first, entry);
    case 'lte':
      return !isAfter(entry, first);
    case 'between':
      return second !== undefined && !isAfter(first, entry) && !isAfter(entry, second);
    default:
      return fitsText(op, fold(String(entry.value)), fold(String(first.value)));
  }
}

function fitsText(op: Operator, text: string, part: string): boolean {
  if (op === 'startsWith') return text.startsWith(part);
  if (op === 'endsWith') return text.endsWith(part);
  if (op === 'contains') return text.includes(part);
  return op === 'eqi' && text === part;
}

function isEqual({ isExact }: Comparison, entry: Entry, operand: Operand): boolean {
  return isExact ? entry.key === operand.key : isSameValue(entry.value, operand.value);
}

const isAfter = (one: Entry, other: Entry): boolean => compareKeys(one.key, other.key) > 0;

/** Codes of the fields whose values decide a condition. */
function fieldsRead(filter: Filter, wordFields: readonly string[]): readonly string[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap((part) => fieldsRead(part, wordFields));
    case 'not':
      return fieldsRead(filter.part, wordFields);
    case 'words':
      return wordFields;
    case 'words in':
      return filter.fields;
    default:
      return fieldsOf(filter);
  }
}

/** Fields whose large values are needed to judge a condition and to show some fields. */
export const neededBy = (
  { wordFields }: EntityModel,
  filter: Filter,
  shown: readonly string[],
): ReadonlySet<string> => new Set([...shown, ...fieldsRead(filter, wordFields)]);

/** Codes of the fields that a condition names. */
export function fieldsOf(filter: Filter): string[] {
  switch (filter.kind) {
    case 'test':
      return [filter.field];
    case 'and':
    case 'or':
      return filter.parts.flatMap(fieldsOf);
    case 'not':
      return fieldsOf(filter.part);
    default:
      return [];
  }
}
