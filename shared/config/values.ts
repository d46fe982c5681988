import * as z from 'zod';
import { parseDuration } from '../primitives/duration.ts';

/** `true` or `false`, as a boolean or as text (command-line overrides arrive as text). */
export const flag = (fallback: boolean, meaning: string) =>
  z
    .preprocess(
      (value) => (value === 'true' ? true : value === 'false' ? false : value),
      z.boolean({ error: 'must be true or false' }),
    )
    .default(fallback)
    .describe(meaning);

/** A whole number in a range; digits as text are accepted. */
export const wholeNumber = (fallback: number, min: number, max: number, meaning: string) =>
  z
    .preprocess(digitsToNumber, within(z.int({ error: 'must be a whole number' }), min, max))
    .default(fallback)
    .describe(meaning);

/** A length of time in milliseconds: a bare number, `5s`, or ISO 8601. */
export const milliseconds = (min: number, max: number) =>
  z.preprocess(
    durationToMs,
    within(z.int({ error: 'must be a duration such as 500ms, 5s, 10m or PT5S' }), min, max),
  );

/** A length of time in seconds: a bare number, `5m`, or ISO 8601. */
export const seconds = (fallback: number, min: number, max: number, meaning: string) =>
  z
    .preprocess(
      (value) => {
        const ms = typeof value === 'string' ? parseDuration(value) : undefined;
        return ms === undefined ? digitsToNumber(value) : ms / 1000;
      },
      within(
        z.int({ error: 'must be a whole number of seconds, or a duration such as 5m' }),
        min,
        max,
      ),
    )
    .default(fallback)
    .describe(meaning);

/** An absolute http(s) address. */
export const httpUrl = () =>
  z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

/** A path without a slash at its end. */
export const path = () =>
  z
    .string()
    .regex(/^\/[A-Za-z0-9/_-]*$/, 'must start with / and hold letters, digits, /, _ and - only')
    .refine((value) => !value.endsWith('/'), 'must not end with /');

/** A list, or the same as text separated by commas. */
export const textList = (fallback: string[], meaning: string) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value),
      z.array(z.string().min(1)),
    )
    .default(fallback)
    .describe(meaning);

/** JSON written as text, as command-line overrides have it; what is none is left to the schema. */
export function jsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function within(number: z.ZodInt, min: number, max: number) {
  const error = `must be ${min} to ${max}`;
  return number.min(min, { error }).max(max, { error });
}

function digitsToNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}

function durationToMs(value: unknown): unknown {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  return ms ?? digitsToNumber(value);
}
