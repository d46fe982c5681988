import { RE2JS } from 're2js';
import { toNumber, toText } from './coercion.ts';
import { ExpressionError } from './expression-error.ts';
import type { Value } from './host-object.ts';

type Method = (text: string, ...args: readonly Value[]) => Value;

/** Longest text that an expression may build. */
const MAX_TEXT_LENGTH = 65_536;
/** Longest text times pattern that a pattern is tried on: what matching costs grows with both. */
const MAX_PATTERN_WORK = 4_000_000;

/** The methods of texts: those of Flowable's texts (`java.lang.String`) that a condition can use. */
export const TEXT_METHODS: Readonly<Record<string, Method>> = {
  length: (text) => text.length,
  isEmpty: (text) => text === '',
  isBlank: (text) => text.trim() === '',
  toString: (text: string) => text,
  trim: (text) => text.trim(),
  strip: (text) => text.trim(),
  stripLeading: (text) => text.trimStart(),
  stripTrailing: (text) => text.trimEnd(),
  toLowerCase: (text) => text.toLowerCase(),
  toUpperCase: (text) => text.toUpperCase(),
  contains: (text, part) => text.includes(toText(part)),
  startsWith: (text, part, from) => text.startsWith(toText(part), indexOr(from, 0)),
  endsWith: (text, part) => text.endsWith(toText(part)),
  indexOf: (text, part, from) => text.indexOf(toText(part), indexOr(from, 0)),
  lastIndexOf: (text, part, from) => text.lastIndexOf(toText(part), indexOr(from, text.length)),
  equals: (text, other) => text === other,
  equalsIgnoreCase: (text, other) => text.toLowerCase() === toText(other).toLowerCase(),
  compareTo: (text, other) => order(text, toText(other)),
  compareToIgnoreCase: (text, other) => order(text.toLowerCase(), toText(other).toLowerCase()),
  charAt: (text, index) => characterAt(text, toNumber(index)),
  substring: (text, from, to) =>
    text.substring(toNumber(from), to === undefined ? undefined : toNumber(to)),
  concat: (text, other) => fitting(text.length + toText(other).length, () => text + toText(other)),
  repeat: (text, times) => repeat(text, toNumber(times)),
  replace: (text, part, by) => replaceAll(text, toText(part), toText(by)),
  replaceAll: (text, pattern, by) => replaceMatches(text, pattern, toText(by), 'replaceAll'),
  replaceFirst: (text, pattern, by) => replaceMatches(text, pattern, toText(by), 'replaceFirst'),
  matches: (text, pattern) => compile(text, pattern).matches(text),
  split: (text, pattern, limit) => compile(text, pattern).split(text, indexOr(limit, 0)),
};

const indexOr = (value: Value, otherwise: number): number =>
  value === undefined ? otherwise : toNumber(value);

/** Builds a text unless it would be too long. @throws ExpressionError */
export function fitting(length: number, build: () => string): string {
  if (length <= MAX_TEXT_LENGTH) return build();
  throw new ExpressionError(`the text is longer than ${MAX_TEXT_LENGTH} characters`);
}

/** Below 0, 0 or above 0: the distance of the first characters that differ, else of the lengths. */
function order(left: string, right: string): number {
  const common = Math.min(left.length, right.length);
  for (let index = 0; index < common; index++) {
    const distance = left.charCodeAt(index) - right.charCodeAt(index);
    if (distance !== 0) return distance;
  }
  return left.length - right.length;
}

function characterAt(text: string, index: number): string {
  const character = Number.isInteger(index) ? text[index] : undefined;
  if (character === undefined) throw new ExpressionError(`the text has no character ${index}`);
  return character;
}

function repeat(text: string, times: number): string {
  if (!Number.isInteger(times) || times < 0) throw new ExpressionError(`cannot repeat ${times}x`);
  return fitting(text.length * times, () => text.repeat(times));
}

function replaceAll(text: string, part: string, by: string): string {
  const pieces = text.split(part);
  const length = text.length + (pieces.length + 1) * Math.max(0, by.length - part.length);
  return fitting(length, () => text.replaceAll(part, () => by));
}

/** A pattern in linear time, whatever it says. @throws ExpressionError */
function compile(text: string, pattern: Value): RE2JS {
  const source = toText(pattern);
  if (text.length * source.length > MAX_PATTERN_WORK) {
    throw new ExpressionError('the text and the pattern are too long for each other');
  }
  try {
    return RE2JS.compile(source);
  } catch (error) {
    throw new ExpressionError((error as Error).message, { cause: error });
  }
}

function replaceMatches(
  text: string,
  pattern: Value,
  by: string,
  how: 'replaceAll' | 'replaceFirst',
): string {
  const compiled = compile(text, pattern);
  // Matches do not overlap, so no group reference brings in more than the text, however often it matches.
  if ((text.length + 1) * (by.length + 1) > MAX_PATTERN_WORK) {
    throw new ExpressionError('the text and its replacement are too long for each other');
  }
  const replaced = compiled.matcher(text)[how](by);
  return fitting(replaced.length, () => replaced);
}
