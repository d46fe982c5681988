/** A part of the instruction of a field: text, or a merge field within it. */
export type InstructionPart =
  | string
  | { readonly name: string; readonly switches: string | undefined };

/** `IF "a" = "b" "yes" "no"`, with merge fields between the text. */
export interface MergeCondition {
  readonly left: readonly InstructionPart[];
  readonly operator: string;
  readonly right: readonly InstructionPart[];
  readonly yes: readonly InstructionPart[];
  readonly no: readonly InstructionPart[];
}

type Operand = readonly InstructionPart[];

const OPERATORS = ['<=', '>=', '<>', '=', '<', '>'];
const QUOTES = /["“”]/;

/** Reads an IF field; `undefined` for anything but operands with a comparison and two texts. */
export function parseIf(instruction: readonly InstructionPart[]): MergeCondition | undefined {
  const operands = splitOperands(instruction);
  const [keyword, left, comparison, right, yes, no = [], ...more] = operands.filter(
    (operand) => !isFormatSwitch(operand),
  );
  if (more.length > 0 || textOf(keyword)?.toUpperCase() !== 'IF') return undefined;
  const operator = textOf(comparison);
  if (operator === undefined || !OPERATORS.includes(operator)) return undefined;
  return left && right && yes ? { left, operator, right, yes, no } : undefined;
}

/** The text that an IF field shows. */
export function evaluateIf(
  { left, operator, right, yes, no }: MergeCondition,
  textOfField: (name: string, switches: string | undefined) => string,
): string {
  const text = (operand: Operand): string =>
    operand
      .map((part) => (typeof part === 'string' ? part : textOfField(part.name, part.switches)))
      .join('');
  return text(holds(text(left), operator, text(right)) ? yes : no);
}

/** Compares as Word does: numbers as numbers, `?` and `*` in the right operand of `=` and `<>` as wildcards. */
function holds(left: string, operator: string, right: string): boolean {
  if (operator === '=') return isLike(left, right);
  if (operator === '<>') return !isLike(left, right);
  const order =
    isNumber(left) && isNumber(right) ? Number(left) - Number(right) : compare(left, right);
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

/** Word takes no longer operand with wildcards. */
const MAX_PATTERN = 127;

const isNumber = (text: string): boolean => /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(text);
const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

function isLike(text: string, pattern: string): boolean {
  if (isNumber(text) && isNumber(pattern)) return Number(text) === Number(pattern);
  if (pattern.length > MAX_PATTERN || !/[*?]/.test(pattern)) return text === pattern;
  return matches([...text], [...pattern]);
}

/** Matches wildcards step by step: a star that was passed is tried again one character later, and only the last one. */
function matches(text: readonly string[], pattern: readonly string[]): boolean {
  let [at, next, star, mark] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next++;
      mark = at;
    } else if (next < pattern.length && (pattern[next] === '?' || pattern[next] === text[at])) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      next = star + 1;
      at = ++mark;
    } else return false;
  }
  return pattern.slice(next).every((character) => character === '*');
}

const isFormatSwitch = (operand: Operand): boolean => textOf(operand)?.startsWith('\\*') ?? false;

const textOf = (operand: Operand | undefined): string | undefined =>
  operand?.length === 1 && typeof operand[0] === 'string' ? operand[0] : undefined;

/** Operands are divided by blanks; those between quotes may have blanks, and `\"` in them is a quote. */
function splitOperands(instruction: readonly InstructionPart[]): Operand[] {
  const reader = new OperandReader();
  for (const part of instruction) {
    if (typeof part !== 'string') reader.part(part);
    else for (const character of part.replaceAll(/\\\*\s+/g, '\\*')) reader.character(character);
  }
  return reader.finish();
}

class OperandReader {
  readonly #operands: InstructionPart[][] = [];
  #current: InstructionPart[] | undefined;
  #isQuoted = false;
  #isEscaped = false;

  part(part: InstructionPart): void {
    this.#open().push(part);
  }

  character(character: string): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
      this.#add(character);
    } else if (this.#isQuoted && character === '\\') this.#isEscaped = true;
    else if (QUOTES.test(character)) this.#quote();
    else if (/\s/.test(character) && !this.#isQuoted) this.#close();
    else this.#add(character);
  }

  finish(): Operand[] {
    this.#close();
    return this.#operands;
  }

  #quote(): void {
    this.#isQuoted = !this.#isQuoted;
    if (this.#isQuoted) this.#open();
    else this.#close();
  }

  #add(character: string): void {
    const operand = this.#open();
    const last = operand.at(-1);
    if (typeof last === 'string') operand[operand.length - 1] = last + character;
    else operand.push(character);
  }

  #open(): InstructionPart[] {
    this.#current ??= [];
    return this.#current;
  }

  #close(): void {
    if (this.#current) this.#operands.push(this.#current);
    this.#current = undefined;
  }
}
