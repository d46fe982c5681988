import { ExpressionSyntaxError } from './expression-error.ts';

/** One word of an expression. */
export interface Token {
  readonly kind: 'number' | 'string' | 'name' | 'symbol' | 'end';
  readonly text: string;
  readonly position: number;
}

const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const SYMBOL = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]}]/y;
const SPACE = /\s*/y;

const matchAt = (pattern: RegExp, source: string, position: number): string | undefined => {
  pattern.lastIndex = position;
  return pattern.exec(source)?.[0];
};

/** Reads a quoted text; backslash escapes the quote and itself. */
function readString(source: string, start: number): { text: string; end: number } {
  const quote = source[start];
  let text = '';
  for (let at = start + 1; at < source.length; at++) {
    const character = source[at];
    if (character === quote) return { text, end: at + 1 };
    if (character === '\\' && (source[at + 1] === '\\' || source[at + 1] === quote)) at++;
    text += source[at];
  }
  throw new ExpressionSyntaxError('text is not closed', start);
}

/** Splits the part of an expression that begins at `start` into words, up to and including its closing brace. */
export function tokenize(source: string, start: number): { tokens: Token[]; end: number } {
  const tokens: Token[] = [];
  let position = start;
  while (true) {
    position += matchAt(SPACE, source, position)?.length ?? 0;
    const character = source[position];
    if (character === undefined) throw new ExpressionSyntaxError('} is missing', position);
    if (character === "'" || character === '"') {
      const { text, end } = readString(source, position);
      tokens.push({ kind: 'string', text, position });
      position = end;
      continue;
    }
    const token = nextToken(source, position);
    tokens.push(token);
    position += token.text.length;
    if (token.text === '}') {
      tokens[tokens.length - 1] = { kind: 'end', text: '}', position: token.position };
      return { tokens, end: position };
    }
  }
}

function nextToken(source: string, position: number): Token {
  const number = matchAt(NUMBER, source, position);
  if (number) return { kind: 'number', text: number, position };
  const name = matchAt(NAME, source, position);
  if (name) return { kind: 'name', text: name, position };
  const symbol = matchAt(SYMBOL, source, position);
  if (symbol) return { kind: 'symbol', text: symbol, position };
  throw new ExpressionSyntaxError(`${source[position]} is not understood`, position);
}
