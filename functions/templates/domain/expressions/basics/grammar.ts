import type { BinaryOperator, UnaryOperator } from './nodes.ts';

export const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/** Operators from the weakest to the strongest; `not` stands between `and` and the comparisons. */
export const LEVELS: readonly Readonly<Record<string, BinaryOperator>>[] = [
  { '??': '??' },
  { or: 'or', '||': 'or' },
  { and: 'and', '&&': 'and' },
  { '==': '==', '=': '==', '!=': '!=', '<>': '!=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
  { '+': '+', '-': '-' },
  { '*': '*', '/': '/', '%': '%' },
];
export const NOT_LEVEL = 3;
export const LITERALS: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  null: null,
};
export const SIGNS: Readonly<Record<string, UnaryOperator>> = {
  '-': 'minus',
  '+': 'plus',
  '!': 'not',
};
