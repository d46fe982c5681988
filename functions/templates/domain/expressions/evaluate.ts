import type { FormatSettings } from '../formats/locale-defaults.ts';
import { isDecimal } from '../values/decimal.ts';
import { ExpressionError } from './basics/expression-error.ts';
import { MAX_STEPS } from './basics/limits.ts';
import type { Expression, Node } from './basics/nodes.ts';
import { bounded, isList, isTrue, numberOf, toValue, type Value } from './basics/value.ts';
import { FUNCTIONS } from './functions/function-table.ts';
import { arithmetic, compare } from './operators.ts';

/** Finds what a reference names: a JSON value, or a value that was computed before. */
export type Lookup = (path: readonly (string | number)[]) => unknown;

/** Steps that expressions of one document may take together. */
export interface StepBudget {
  left: number;
}

/**
 * Computes an expression. Nothing comes of a sum with nothing; what a lookup gives is only read.
 * @throws ExpressionError with the position of what cannot be computed
 */
export function evaluate(
  expression: Expression,
  lookup: Lookup,
  settings: FormatSettings,
  budget: StepBudget = { left: MAX_STEPS },
): Value {
  return new Evaluation(lookup, settings, budget).value(expression.root);
}

class Evaluation {
  readonly #lookup: Lookup;
  readonly #settings: FormatSettings;
  readonly #budget: StepBudget;
  #steps = 0;

  constructor(lookup: Lookup, settings: FormatSettings, budget: StepBudget) {
    this.#lookup = lookup;
    this.#settings = settings;
    this.#budget = budget;
  }

  value(node: Node): Value {
    this.#step(1, node);
    return bounded(this.#compute(node), node.position);
  }

  #step(count: number, { position }: Node): void {
    this.#steps += count;
    this.#budget.left -= count;
    const isSpent = this.#budget.left < 0;
    if (this.#steps <= MAX_STEPS && !isSpent) return;
    const limit = isSpent ? 'more steps than a document has left' : `more than ${MAX_STEPS} steps`;
    throw new ExpressionError('EXPRESSION_TOO_COSTLY', position, `takes ${limit}`);
  }

  #compute(node: Node): Value {
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'reference':
        return toValue(this.#lookup(node.path));
      case 'unary':
        return this.#unary(node);
      case 'binary':
        return this.#binary(node);
      case 'choice':
        return this.value(isTrue(this.value(node.test)) ? node.yes : node.no);
      case 'call':
        return this.#call(node);
    }
  }

  #unary({ operator, operand, position }: Node & { kind: 'unary' }): Value {
    const value = this.value(operand);
    if (operator === 'not') return !isTrue(value);
    if (value === null) return null;
    const number = numberOf(value, position);
    return operator === 'minus' ? number.neg() : number;
  }

  #binary({ operator, left, right, position }: Node & { kind: 'binary' }): Value {
    const first = this.value(left);
    switch (operator) {
      case 'and':
        return isTrue(first) && isTrue(this.value(right));
      case 'or':
        return isTrue(first) || isTrue(this.value(right));
      case '??':
        return first === null || first === '' ? this.value(right) : first;
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return arithmetic(operator, first, this.value(right), {
          position,
          settings: this.#settings,
        });
      default:
        return compare(operator, first, this.value(right), { position, settings: this.#settings });
    }
  }

  #call(node: Node & { kind: 'call' }): Value {
    const { name, args, position } = node;
    if (name === 'if') return this.#if(args);
    if (name === 'coalesce') return this.#coalesce(args);
    const values = args.map((argument) => this.value(argument));
    for (const value of values)
      if (isList(value) && !isDecimal(value)) this.#step(value.length, node);
    const known = FUNCTIONS.get(name);
    if (known === undefined || 'isLazy' in known) return null;
    return known.run(values, { position, settings: this.#settings });
  }

  #if([test, yes, no]: readonly Node[]): Value {
    const chosen = test !== undefined && isTrue(this.value(test)) ? yes : no;
    return chosen === undefined ? null : this.value(chosen);
  }

  #coalesce(args: readonly Node[]): Value {
    for (const argument of args) {
      const value = this.value(argument);
      if (value !== null && value !== '') return value;
    }
    return null;
  }
}
