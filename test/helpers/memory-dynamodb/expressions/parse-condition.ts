import { type AttributeValue, bytesOf, compareValues } from '../attribute-value.ts';
import { invalid } from '../errors.ts';
import { type Path, parsePath } from './path.ts';
import type { Scope } from './scope.ts';
import { TokenReader } from './tokens.ts';

/** What a comparison compares: an attribute, a value of the request, or the size of an attribute. */
export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: AttributeValue }
  | { readonly kind: 'size'; readonly of: Operand };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A parsed condition. */
export type ConditionNode =
  | { readonly kind: 'and' | 'or'; readonly left: ConditionNode; readonly right: ConditionNode }
  | { readonly kind: 'not'; readonly condition: ConditionNode }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly operands: [Operand, Operand];
    }
  | { readonly kind: 'between'; readonly operands: [Operand, Operand, Operand] }
  | { readonly kind: 'in'; readonly operands: readonly [Operand, ...Operand[]] }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly operands: readonly Operand[] };

const FUNCTIONS = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
} as const;
export type FunctionName = keyof typeof FUNCTIONS;
const COMPARATORS: readonly string[] = ['=', '<>', '<', '<=', '>', '>='] satisfies Comparator[];
const TYPES = ['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M'];

/** Parses a condition, filter or key condition. */
export function parseCondition(expression: string, parameter: string, scope: Scope): ConditionNode {
  const reader = new TokenReader(expression, parameter);
  const condition = parseOr(reader, scope);
  reader.expectEnd();
  return condition;
}

function parseOr(reader: TokenReader, scope: Scope): ConditionNode {
  let left = parseAnd(reader, scope);
  while (reader.accept('OR')) left = { kind: 'or', left, right: parseAnd(reader, scope) };
  return left;
}

function parseAnd(reader: TokenReader, scope: Scope): ConditionNode {
  let left = parseNot(reader, scope);
  while (reader.accept('AND')) left = { kind: 'and', left, right: parseNot(reader, scope) };
  return left;
}

function parseNot(reader: TokenReader, scope: Scope): ConditionNode {
  if (reader.accept('NOT')) return { kind: 'not', condition: parseNot(reader, scope) };
  if (reader.accept('(')) {
    const inner = parseOr(reader, scope);
    reader.expect(')');
    return inner;
  }
  const name = reader.peek().text;
  if (reader.peek().kind === 'word' && reader.peek(1).text === '(' && name !== 'size') {
    return parseCall(reader, scope);
  }
  return parseComparison(reader, scope);
}

function parseCall(reader: TokenReader, scope: Scope): ConditionNode {
  const name = reader.take().text;
  if (!Object.hasOwn(FUNCTIONS, name)) {
    throw invalid(`Invalid ${reader.parameter}: Invalid function name; function: ${name}`);
  }
  reader.expect('(');
  const operands = parseList(reader, scope);
  const known = name as FunctionName;
  const fail = (text: string) =>
    invalid(`Invalid ${reader.parameter}: ${text}; operator or function: ${name}`);
  if (operands.length !== FUNCTIONS[known]) {
    throw fail('Incorrect number of operands for operator or function');
  }
  if (FUNCTIONS[known] === 1 && operands[0]?.kind !== 'path') {
    throw fail('Operator or function requires a document path');
  }
  const second = operands[1];
  if (
    name === 'attribute_type' &&
    (second?.kind !== 'value' || !TYPES.includes(second.value.S ?? ''))
  ) {
    throw fail('Invalid attribute type name found');
  }
  if (name === 'begins_with' && second?.kind === 'value' && !bytesOf(second.value)) {
    throw fail('Incorrect operand type for operator or function');
  }
  return { kind: 'call', name: known, operands };
}

function parseComparison(reader: TokenReader, scope: Scope): ConditionNode {
  const left = parseOperand(reader, scope);
  if (reader.accept('BETWEEN')) {
    const from = parseOperand(reader, scope);
    reader.expect('AND');
    const to = parseOperand(reader, scope);
    checkRange(from, to, reader.parameter);
    return { kind: 'between', operands: [left, from, to] };
  }
  if (reader.accept('IN')) {
    reader.expect('(');
    return { kind: 'in', operands: [left, ...parseList(reader, scope)] };
  }
  const comparator = reader.peek();
  if (comparator.kind !== 'symbol' || !COMPARATORS.includes(comparator.text)) {
    throw reader.syntaxError();
  }
  reader.take();
  const right = parseOperand(reader, scope);
  return { kind: 'compare', comparator: comparator.text as Comparator, operands: [left, right] };
}

function checkRange(from: Operand, to: Operand, parameter: string): void {
  if (from.kind !== 'value' || to.kind !== 'value') return;
  const order = compareValues(from.value, to.value);
  if (order !== undefined && order <= 0) return;
  throw invalid(
    order === undefined
      ? `Invalid ${parameter}: The BETWEEN operator requires same data type for lower and upper bounds`
      : `Invalid ${parameter}: The BETWEEN operator requires upper bound to be greater than or equal to lower bound`,
  );
}

function parseList(reader: TokenReader, scope: Scope): Operand[] {
  const operands = [parseOperand(reader, scope)];
  while (reader.accept(',')) operands.push(parseOperand(reader, scope));
  reader.expect(')');
  return operands;
}

function parseOperand(reader: TokenReader, scope: Scope): Operand {
  const { kind, text } = reader.peek();
  if (kind === 'value') {
    reader.take();
    return { kind: 'value', value: scope.value(text, reader.parameter) };
  }
  if (kind === 'word' && text === 'size' && reader.peek(1).text === '(') {
    reader.take();
    reader.take();
    const of = parseOperand(reader, scope);
    reader.expect(')');
    return { kind: 'size', of };
  }
  return { kind: 'path', path: parsePath(reader, scope) };
}
