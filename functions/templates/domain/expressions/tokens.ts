import { ExpressionError } from './basics/expression-error.ts';
import { MAX_LENGTH } from './basics/limits.ts';

export interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'quotedName' | 'symbol' | 'end';
  /** What it stands for: without quotes. */
  readonly text: string;
  /** First character, counted from 1. */
  readonly position: number;
}

const TOKENS: readonly (readonly [Token['kind'], RegExp])[] = [
  ['number', /\d+(?:\.\d+)?/y],
  ['name', /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy],
  ['quotedName', /`[^`\n]+`/y],
  ['text', /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|“[^”]*”/sy],
  ['symbol', /&&|\|\||\?\?|==|!=|<>|<=|>=|[-+*/%<>=!?:()[\].,]/y],
];

/** @throws ExpressionError for a character that no token begins with */
export function tokenize(source: string): readonly Token[] {
  if (source.length > MAX_LENGTH) {
    const message = `is longer than ${MAX_LENGTH} characters`;
    throw new ExpressionError('EXPRESSION_TOO_LONG', MAX_LENGTH + 1, message);
  }
  const tokens: Token[] = [];
  let at = skipSpace(source, 0);
  while (at < source.length) {
    const token = tokenAt(source, at);
    tokens.push({ ...token, text: meaningOf(token) });
    at = skipSpace(source, at + token.text.length);
  }
  tokens.push({ kind: 'end', text: '', position: source.length + 1 });
  return tokens;
}

function skipSpace(source: string, from: number): number {
  const space = /\s*/y;
  space.lastIndex = from;
  return from + (space.exec(source)?.[0].length ?? 0);
}

function tokenAt(source: string, at: number): Token {
  for (const [kind, pattern] of TOKENS) {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text !== undefined) return { kind, text, position: at + 1 };
  }
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  const isQuote = /["'`“]/.test(character);
  const message = isQuote ? `has no closing ${character}` : `cannot have ${character} here`;
  throw new ExpressionError('EXPRESSION_SYNTAX', at + 1, message);
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

function meaningOf({ kind, text, position }: Token): string {
  if (kind === 'quotedName') return text.slice(1, -1);
  if (kind !== 'text') return text;
  const inner = text.slice(1, -1);
  if (text.startsWith('“')) return inner;
  return inner.replaceAll(/\\(.)/gs, (_all, letter: string, index: number) => {
    const character = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (character !== undefined) return character;
    throw new ExpressionError(
      'EXPRESSION_SYNTAX',
      position + index + 1,
      `knows no escape \\${letter}`,
    );
  });
}
