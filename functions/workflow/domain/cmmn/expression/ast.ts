/** Operators with two operands; `and`, `or` and `?:` are nodes of their own because they short-circuit. */
export type BinaryOperator = '*' | '/' | 'mod' | '+' | '-' | '<' | '>' | '<=' | '>=' | '==' | '!=';

/** The tree of a parsed expression. `position` is the offset in the source, for error messages. */
export type Node =
  | { readonly kind: 'literal'; readonly value: null | boolean | number | string }
  | { readonly kind: 'name'; readonly name: string; readonly position: number }
  | { readonly kind: 'member'; readonly object: Node; readonly key: Node }
  | {
      readonly kind: 'method';
      readonly object: Node;
      readonly name: string;
      readonly args: readonly Node[];
      readonly position: number;
    }
  | {
      readonly kind: 'function';
      readonly prefix: string;
      readonly name: string;
      readonly args: readonly Node[];
      readonly position: number;
    }
  | { readonly kind: 'not' | 'negate' | 'empty'; readonly operand: Node }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Node;
      readonly right: Node;
    }
  | { readonly kind: 'and' | 'or'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'choice'; readonly test: Node; readonly yes: Node; readonly no: Node }
  | { readonly kind: 'text'; readonly parts: readonly Node[] };
