import type { BinaryOperator, Node } from './ast.ts';
import { ExpressionSyntaxError } from './expression-error.ts';
import { type Token, tokenize } from './tokens.ts';

/** Longest expression, in characters. */
export const MAX_EXPRESSION_LENGTH = 4096;
/** Deepest nesting of brackets, calls and unary operators. */
const MAX_DEPTH = 64;

/** Unified Expression Language, binding strength from loose to tight, with the words for the signs. */
const BINARY_LEVELS: readonly Readonly<Record<string, BinaryOperator>>[] = [
  { '==': '==', eq: '==', '!=': '!=', ne: '!=' },
  { '<': '<', lt: '<', '>': '>', gt: '>', '<=': '<=', le: '<=', '>=': '>=', ge: '>=' },
  { '+': '+', '-': '-' },
  { '*': '*', '/': '/', div: '/', '%': 'mod', mod: 'mod' },
];
const LITERALS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
const UNARY = { '!': 'not', not: 'not', '-': 'negate', empty: 'empty' } as const;

/** Texts around `${...}` and `#{...}` are joined; a single expression keeps the type of its value. */
export function parseTemplate(source: string): Node {
  if (source.length > MAX_EXPRESSION_LENGTH) {
    throw new ExpressionSyntaxError(
      `longer than ${MAX_EXPRESSION_LENGTH} characters`,
      MAX_EXPRESSION_LENGTH,
    );
  }
  const parts: Node[] = [];
  let position = 0;
  while (position < source.length) {
    const next = source.slice(position).search(/[$#]\{/);
    const start = next < 0 ? source.length : position + next;
    if (start > position) parts.push({ kind: 'literal', value: source.slice(position, start) });
    if (start === source.length) break;
    const { tokens, end } = tokenize(source, start + 2);
    parts.push(new ExpressionParser(tokens).parse());
    position = end;
  }
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return { kind: 'text', parts };
}

/** Recursive descent over the words of one expression: one method for each level of the grammar. */
class ExpressionParser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** The whole expression. @throws ExpressionSyntaxError when words are left over */
  parse(): Node {
    const node = this.#choice();
    if (this.#peek().kind !== 'end') throw this.#unexpected('the expression should end');
    return node;
  }

  #peek(ahead = 0): Token {
    return (this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)) as Token;
  }

  #isNext(text: string): boolean {
    return this.#peek().text === text && this.#peek().kind !== 'string';
  }

  #accept(...texts: readonly string[]): boolean {
    if (!texts.some((text) => this.#isNext(text))) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#unexpected(`${text} is expected`);
  }

  #unexpected(message: string): ExpressionSyntaxError {
    const { text, position } = this.#peek();
    return new ExpressionSyntaxError(`${message} at "${text}"`, position);
  }

  /** `test ? yes : no` */
  #choice(): Node {
    const test = this.#or();
    if (!this.#accept('?')) return test;
    const yes = this.#nested(() => this.#choice());
    this.#expect(':');
    return { kind: 'choice', test, yes, no: this.#nested(() => this.#choice()) };
  }

  #or(): Node {
    let left = this.#and();
    while (this.#accept('||', 'or')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Node {
    let left = this.#binary(0);
    while (this.#accept('&&', 'and')) left = { kind: 'and', left, right: this.#binary(0) };
    return left;
  }

  #binary(level: number): Node {
    const operators = BINARY_LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    while (this.#peek().kind !== 'string' && Object.hasOwn(operators, this.#peek().text)) {
      const operator = operators[this.#peek().text] as BinaryOperator;
      this.#at++;
      left = { kind: 'binary', operator, left, right: this.#binary(level + 1) };
    }
    return left;
  }

  #unary(): Node {
    const { kind, text } = this.#peek();
    if (kind === 'string' || !Object.hasOwn(UNARY, text)) return this.#members(this.#primary());
    this.#at++;
    return {
      kind: UNARY[text as keyof typeof UNARY],
      operand: this.#nested(() => this.#unary()),
    };
  }

  /** Everything behind a value: `.name`, `.method(...)`, `[key]`. */
  #members(start: Node): Node {
    let object = start;
    while (true) {
      if (this.#accept('[')) {
        object = { kind: 'member', object, key: this.#nested(() => this.#choice()) };
        this.#expect(']');
      } else if (this.#accept('.')) {
        const { text: name, position } = this.#name();
        object = this.#accept('(')
          ? { kind: 'method', object, name, args: this.#arguments(), position }
          : { kind: 'member', object, key: { kind: 'literal', value: name } };
      } else return object;
    }
  }

  #name(): Token {
    const token = this.#peek();
    if (token.kind !== 'name') throw this.#unexpected('a name is expected');
    this.#at++;
    return token;
  }

  #arguments(): Node[] {
    const args: Node[] = [];
    if (this.#accept(')')) return args;
    do args.push(this.#nested(() => this.#choice()));
    while (this.#accept(','));
    this.#expect(')');
    return args;
  }

  #primary(): Node {
    const { kind, text } = this.#peek();
    if (kind === 'number' && !Number.isFinite(Number(text))) {
      throw this.#unexpected('too large a number');
    }
    if (kind === 'number' || kind === 'string') {
      this.#at++;
      return { kind: 'literal', value: kind === 'number' ? Number(text) : text };
    }
    if (!this.#accept('(')) return this.#nameOrCall();
    const inner = this.#nested(() => this.#choice());
    this.#expect(')');
    return inner;
  }

  /** A literal word, a variable, `function(...)` or `prefix:function(...)`. */
  #nameOrCall(): Node {
    const { text: name, position } = this.#name();
    if (Object.hasOwn(LITERALS, name)) return { kind: 'literal', value: LITERALS[name] ?? null };
    const called = this.#peek(1);
    if (this.#isNext(':') && called.kind === 'name' && this.#peek(2).text === '(') {
      this.#at += 3;
      const args = this.#arguments();
      return { kind: 'function', prefix: name, name: called.text, args, position };
    }
    if (!this.#accept('(')) return { kind: 'name', name, position };
    return { kind: 'function', prefix: '', name, args: this.#arguments(), position };
  }

  /** Brackets, calls and unary operators go this deep and no deeper: the parser calls itself for each. */
  #nested(parse: () => Node): Node {
    if (++this.#depth > MAX_DEPTH) throw this.#unexpected('nested too deeply');
    const node = parse();
    this.#depth--;
    return node;
  }
}
