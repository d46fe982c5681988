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
    parts.push(parseTokens(tokens));
    position = end;
  }
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return { kind: 'text', parts };
}

/** Recursive descent over the words of one expression. */
function parseTokens(tokens: readonly Token[]): Node {
  let at = 0;
  let depth = 0;
  const peek = (): Token => tokens[at] as Token;
  const isWord = (text: string): boolean => peek().text === text && peek().kind !== 'string';
  const accept = (...texts: readonly string[]): boolean => {
    if (!texts.some(isWord)) return false;
    at++;
    return true;
  };
  const expect = (text: string): void => {
    if (!accept(text)) throw unexpected(`${text} is expected`);
  };
  const unexpected = (message: string): ExpressionSyntaxError =>
    new ExpressionSyntaxError(`${message} at "${peek().text}"`, peek().position);

  const choice = (): Node => {
    const test = or();
    if (!accept('?')) return test;
    const yes = choice();
    expect(':');
    return { kind: 'choice', test, yes, no: choice() };
  };
  const or = (): Node => {
    let left = and();
    while (accept('||', 'or')) left = { kind: 'or', left, right: and() };
    return left;
  };
  const and = (): Node => {
    let left = binary(0);
    while (accept('&&', 'and')) left = { kind: 'and', left, right: binary(0) };
    return left;
  };
  const binary = (level: number): Node => {
    const operators = BINARY_LEVELS[level];
    if (!operators) return unary();
    let left = binary(level + 1);
    while (peek().kind !== 'string' && Object.hasOwn(operators, peek().text)) {
      const operator = operators[peek().text] as BinaryOperator;
      at++;
      left = { kind: 'binary', operator, left, right: binary(level + 1) };
    }
    return left;
  };
  const unary = (): Node => {
    if (++depth > MAX_DEPTH) throw unexpected('nested too deeply');
    try {
      const word = peek();
      if (word.kind !== 'string' && Object.hasOwn(UNARY, word.text)) {
        at++;
        return { kind: UNARY[word.text as keyof typeof UNARY], operand: unary() };
      }
      return members(primary());
    } finally {
      depth--;
    }
  };
  const members = (start: Node): Node => {
    let object = start;
    while (true) {
      if (accept('[')) {
        object = { kind: 'member', object, key: choice() };
        expect(']');
      } else if (accept('.')) {
        const { text: name, position } = word();
        object = accept('(')
          ? { kind: 'method', object, name, args: argumentsOf(), position }
          : { kind: 'member', object, key: { kind: 'literal', value: name } };
      } else return object;
    }
  };
  const word = (): Token => {
    const token = peek();
    if (token.kind !== 'name') throw unexpected('a name is expected');
    at++;
    return token;
  };
  const argumentsOf = (): Node[] => {
    const args: Node[] = [];
    if (accept(')')) return args;
    do args.push(choice());
    while (accept(','));
    expect(')');
    return args;
  };
  const primary = (): Node => {
    const token = peek();
    if (token.kind === 'number' || token.kind === 'string') {
      at++;
      const value = token.kind === 'number' ? Number(token.text) : token.text;
      return { kind: 'literal', value };
    }
    if (accept('(')) {
      const inner = choice();
      expect(')');
      return inner;
    }
    return nameOrCall();
  };
  const nameOrCall = (): Node => {
    const { text: name, position } = word();
    if (Object.hasOwn(LITERALS, name)) return { kind: 'literal', value: LITERALS[name] ?? null };
    const next = tokens[at + 1];
    const afterNext = tokens[at + 2];
    if (isWord(':') && next?.kind === 'name' && afterNext?.text === '(') {
      at += 3;
      return { kind: 'function', prefix: name, name: next.text, args: argumentsOf(), position };
    }
    if (accept('(')) return { kind: 'function', prefix: '', name, args: argumentsOf(), position };
    return { kind: 'name', name, position };
  };

  const node = choice();
  if (peek().kind !== 'end') throw unexpected('the expression should end');
  return node;
}
