import type { Decimal } from '../../values/decimal.ts';

export type UnaryOperator = 'minus' | 'plus' | 'not';
export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'and'
  | 'or'
  | '??';

interface Located {
  /** First character, counted from 1. */
  readonly position: number;
}

export type Node =
  | (Located & { readonly kind: 'literal'; readonly value: Decimal | string | boolean | null })
  | (Located & { readonly kind: 'reference'; readonly path: readonly (string | number)[] })
  | (Located & { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Node })
  | (Located & {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Node;
      readonly right: Node;
    })
  | (Located & {
      readonly kind: 'choice';
      readonly test: Node;
      readonly yes: Node;
      readonly no: Node;
    })
  | (Located & { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] });

/** An expression that has been read; it can be computed any number of times. */
export interface Expression {
  readonly root: Node;
  /** Every reference, as often as it occurs. */
  readonly references: readonly (readonly (string | number)[])[];
}
