import type { ExpressionFunction } from './call.ts';
import { dateFunctions } from './date-functions.ts';
import { formatFunctions } from './format-functions.ts';
import { numberFunctions } from './number-functions.ts';
import { textFunctions } from './text-functions.ts';

const MANY = Number.POSITIVE_INFINITY;

/** Computes only the arguments that it needs; see `evaluate.ts`. */
export interface LazyFunction {
  readonly count: readonly [least: number, most: number];
  readonly isLazy: true;
}

/** All functions there are. Names are looked up in a map: nothing is inherited. */
export const FUNCTIONS: ReadonlyMap<string, ExpressionFunction | LazyFunction> = new Map<
  string,
  ExpressionFunction | LazyFunction
>([
  ...Object.entries(textFunctions),
  ...Object.entries(numberFunctions),
  ...Object.entries(dateFunctions),
  ...Object.entries(formatFunctions),
  ['if', { count: [2, 3], isLazy: true }],
  ['coalesce', { count: [1, MANY], isLazy: true }],
]);
