import { invalid } from '../errors.ts';

/** A piece of an expression. */
export interface Token {
  readonly kind: 'word' | 'name' | 'value' | 'number' | 'symbol' | 'end';
  readonly text: string;
}

const PATTERN =
  /\s*(?:(#[A-Za-z0-9_]+)|(:[A-Za-z0-9_]+)|([A-Za-z_][A-Za-z0-9_]*)|(\d+)|(<>|<=|>=|[=<>()[\],.+-]))/y;
const END: Token = { kind: 'end', text: '<EOF>' };

/** Reads an expression piece by piece. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  /** Name of the parameter, for messages: `ConditionExpression`. */
  readonly parameter: string;
  #next = 0;

  constructor(expression: string, parameter: string) {
    this.parameter = parameter;
    if (expression.trim() === '') {
      throw invalid(`Invalid ${parameter}: The expression can not be empty;`);
    }
    if (Buffer.byteLength(expression) > 4_096) {
      throw invalid(`Invalid ${parameter}: Expression size has exceeded the maximum allowed size;`);
    }
    this.#tokens = split(expression, parameter);
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#next + ahead] ?? END;
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** Takes the symbol, or the keyword whatever its case, when it comes next. */
  accept(text: string): boolean {
    if (!this.comesNext(text)) return false;
    this.#next += 1;
    return true;
  }

  comesNext(text: string): boolean {
    const token = this.peek();
    if (token.kind === 'word') return token.text.toUpperCase() === text;
    return token.kind === 'symbol' && token.text === text;
  }

  expect(text: string): void {
    if (!this.accept(text)) throw this.syntaxError();
  }

  expectEnd(): void {
    if (this.peek().kind !== 'end') throw this.syntaxError();
  }

  syntaxError(): Error {
    const near = [this.peek(-1), this.peek(), this.peek(1)]
      .filter(({ kind }) => kind !== 'end')
      .map(({ text }) => text)
      .join(' ');
    return invalid(
      `Invalid ${this.parameter}: Syntax error; token: "${this.peek().text}", near: "${near}"`,
    );
  }
}

function split(expression: string, parameter: string): Token[] {
  const tokens: Token[] = [];
  const end = expression.trimEnd().length;
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < end) {
    const start = PATTERN.lastIndex;
    const match = PATTERN.exec(expression);
    if (!match) {
      throw invalid(
        `Invalid ${parameter}: Syntax error; token: "${expression.slice(start).trim().charAt(0)}", near: "${expression.slice(start, start + 10).trim()}"`,
      );
    }
    const [, name, value, word, number, symbol] = match;
    if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (value !== undefined) tokens.push({ kind: 'value', text: value });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else tokens.push({ kind: 'symbol', text: symbol ?? '' });
  }
  return tokens;
}
