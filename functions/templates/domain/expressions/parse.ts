import { toDecimal } from '../values/decimal.ts';
import { ExpressionError } from './basics/expression-error.ts';
import { LEVELS, LITERALS, NOT_LEVEL, RESERVED, SIGNS } from './basics/grammar.ts';
import { MAX_DEPTH } from './basics/limits.ts';
import type { BinaryOperator, Expression, Node } from './basics/nodes.ts';
import { FUNCTIONS } from './functions/function-table.ts';
import { type Token, tokenize } from './tokens.ts';

/**
 * Reads an expression of a COMPUTED field.
 * @throws ExpressionError with the position of what is wrong
 */
export function parseExpression(source: string): Expression {
  return new Parser(tokenize(source)).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #references: (readonly (string | number)[])[] = [];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const root = this.#choice();
    if (this.#next().kind !== 'end') throw this.#unexpected();
    return { root, references: this.#references };
  }

  #next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  /** Takes the next token when it is that symbol or word. */
  #take(text: string): Token | undefined {
    const token = this.#next();
    const isIt = token.text === text && (token.kind === 'symbol' || token.kind === 'name');
    if (!isIt) return undefined;
    this.#at += 1;
    return token;
  }

  #expect(text: string): void {
    if (this.#take(text) === undefined) throw this.#unexpected(`"${text}"`);
  }

  #unexpected(wanted?: string): ExpressionError {
    const { kind, text, position } = this.#next();
    const found = kind === 'end' ? 'ends' : `has "${text.slice(0, 40)}"`;
    const message = wanted
      ? `${found} where ${wanted} is needed`
      : `${found} where it cannot stand`;
    return new ExpressionError('EXPRESSION_SYNTAX', position, message);
  }

  /** Every way down into a part of the expression leads through here. */
  #nested(read: () => Node): Node {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      const message = `is nested deeper than ${MAX_DEPTH} levels`;
      throw new ExpressionError('EXPRESSION_TOO_DEEP', this.#next().position, message);
    }
    const node = read();
    this.#depth -= 1;
    return node;
  }

  #choice(): Node {
    return this.#nested(() => {
      const test = this.#binary(0);
      const { position } = this.#next();
      if (this.#take('?') === undefined) return test;
      const yes = this.#choice();
      this.#expect(':');
      return { kind: 'choice', position, test, yes, no: this.#choice() };
    });
  }

  #binary(level: number): Node {
    if (level === NOT_LEVEL) {
      const { position } = this.#next();
      if (this.#take('not')) {
        const operand = this.#nested(() => this.#binary(NOT_LEVEL));
        return { kind: 'unary', position, operator: 'not', operand };
      }
    }
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const { kind, text, position } = this.#next();
      const isOperator = (kind === 'symbol' || kind === 'name') && Object.hasOwn(operators, text);
      if (!isOperator) return left;
      this.#at += 1;
      const right = this.#binary(level + 1);
      left = { kind: 'binary', position, operator: operators[text] as BinaryOperator, left, right };
    }
  }

  #unary(): Node {
    const { kind, text, position } = this.#next();
    const operator = kind === 'symbol' && Object.hasOwn(SIGNS, text) ? SIGNS[text] : undefined;
    if (operator === undefined) return this.#primary();
    this.#at += 1;
    return { kind: 'unary', position, operator, operand: this.#nested(() => this.#unary()) };
  }

  #primary(): Node {
    const { kind, text, position } = this.#next();
    if (this.#take('(')) {
      const inner = this.#choice();
      this.#expect(')');
      return inner;
    }
    if (kind === 'end' || kind === 'symbol') throw this.#unexpected('a value');
    this.#at += 1;
    if (kind === 'number') return numberLiteral(text, position);
    if (kind === 'text') return { kind: 'literal', position, value: text };
    if (kind === 'name' && Object.hasOwn(LITERALS, text)) {
      return { kind: 'literal', position, value: LITERALS[text] ?? null };
    }
    if (kind === 'name' && this.#take('(')) return this.#call(text, position);
    return this.#reference(text, position);
  }

  #call(name: string, position: number): Node {
    const args: Node[] = [];
    if (this.#take(')') === undefined) {
      do args.push(this.#choice());
      while (this.#take(','));
      this.#expect(')');
    }
    const known = FUNCTIONS.get(name);
    if (known === undefined) {
      throw new ExpressionError(
        'UNKNOWN_FUNCTION',
        position,
        `knows no function ${name.slice(0, 60)}`,
      );
    }
    const [least, most] = known.count;
    if (args.length < least || args.length > most) {
      const wanted =
        least === most
          ? `${least}`
          : most === Number.POSITIVE_INFINITY
            ? `at least ${least}`
            : `${least} to ${most}`;
      throw new ExpressionError(
        'WRONG_ARGUMENT_COUNT',
        position,
        `gives ${name} ${args.length} arguments, not ${wanted}`,
      );
    }
    return { kind: 'call', position, name, args };
  }

  #reference(first: string, position: number): Node {
    const path: (string | number)[] = [first];
    for (;;) {
      if (this.#take('.')) path.push(this.#segment());
      else if (this.#take('[')) path.push(this.#index());
      else break;
    }
    const reserved = path.find((segment) => RESERVED.has(String(segment)));
    if (reserved !== undefined) {
      throw new ExpressionError('RESERVED_NAME', position, `cannot name ${reserved}`);
    }
    this.#references.push(path);
    return { kind: 'reference', position, path };
  }

  #segment(): string {
    const { kind, text } = this.#next();
    if (kind !== 'name' && kind !== 'quotedName') throw this.#unexpected('a name');
    this.#at += 1;
    return text;
  }

  #index(): number {
    const { kind, text } = this.#next();
    if (kind !== 'number' || !/^\d{1,6}$/.test(text))
      throw this.#unexpected('the number of an element');
    this.#at += 1;
    this.#expect(']');
    return Number(text);
  }
}

function numberLiteral(text: string, position: number): Node {
  const value = toDecimal(text);
  if (value !== undefined) return { kind: 'literal', position, value };
  throw new ExpressionError('NUMBER_TOO_LARGE', position, 'has a number of more than 400 digits');
}
