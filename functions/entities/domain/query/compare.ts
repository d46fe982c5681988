import type { EntityModel, QueryField } from '../definitions/model.ts';
import type { Operator } from '../values/codecs.ts';
import { allOf, type Comparison, type Filter, type Operand } from './filter.ts';
import { isNamedTime, type Moment, readNamedTime } from './moments.ts';
import { invalid } from './refusal.ts';

/** Most operands of `in` and `nin`. */
const MAX_OPERANDS = 100;
const MAX_TEXT = 1_000;

/** What operands may name beside values. */
export interface OperandContext {
  /** What `today` and `now` stand for; without it they are no values. */
  readonly moment?: Moment | undefined;
  /** Most values of `in`, where no caller writes them. */
  readonly maxOperands?: number;
}

/** The field that a condition names. @throws Problem `INVALID_PARAMETER` (400) when it cannot be searched */
export function fieldOf(parameter: string, code: string, model: EntityModel): QueryField {
  const field = model.queryField(code);
  if (field) return field;
  const isStored = model.field(code) !== undefined;
  throw isStored
    ? invalid(parameter, 'NOT_SEARCHABLE', `names ${code}, which is not searchable`)
    : invalid(parameter, 'UNKNOWN_PARAMETER', `names the unknown field ${code.slice(0, 80)}`);
}

/** The operator of a field that a name stands for. @throws Problem `INVALID_PARAMETER` (400) */
export function operatorOf(
  parameter: string,
  { code, codec: { operators } }: QueryField,
  name: string,
): Operator {
  const operator = operators.find((each) => each === name);
  if (operator) return operator;
  const detail = `has no operator ${name.slice(0, 40)}; the operators of ${code} are ${operators.join(', ')}`;
  throw invalid(parameter, 'UNKNOWN_OPERATOR', detail);
}

/** The condition that a comparison of a field states. @throws Problem `INVALID_PARAMETER` (400) */
export function compare(
  parameter: string,
  field: QueryField,
  name: string,
  given: readonly unknown[],
  { moment, maxOperands = MAX_OPERANDS }: OperandContext = {},
): Filter {
  const op = operatorOf(parameter, field, name);
  const isPresence = op === 'null' || op === 'exists';
  const isList = op === 'in' || op === 'nin';
  const wanted = op === 'between' ? 2 : 1;
  const isCountRight = isList
    ? given.length > 0 && given.length <= maxOperands
    : given.length === wanted;
  if (!isCountRight) {
    const detail = isList
      ? `takes 1 to ${maxOperands} values`
      : `takes ${wanted} value${wanted > 1 ? 's' : ''}`;
    throw invalid(parameter, 'INVALID_VALUE', detail);
  }
  if (isPresence) return test(field, op, [readOperand(parameter, field, given[0], readFlag)]);
  if (!moment || !given.some((operand) => isNamedTime(field.codec, operand))) {
    return test(
      field,
      op,
      given.map((operand) => readOperand(parameter, field, operand)),
    );
  }
  const bounds = given.map((operand) => boundsOf(parameter, field, operand, moment));
  return withinBounds(field, op, bounds);
}

const test = (
  { code, codec, isMany }: QueryField,
  op: Operator,
  operands: readonly Operand[],
): Comparison => ({ kind: 'test', field: code, op, operands, isExact: codec.isExact, isMany });

const PRESENCE = 'true or false';

function readOperand(
  parameter: string,
  { code, codec }: QueryField,
  given: unknown,
  readPresence?: (operand: unknown) => unknown,
): Operand {
  const value = readPresence ? readPresence(given) : codec.read(given);
  const key = readPresence ? '' : codec.encode(value);
  const isTooLong = typeof value === 'string' && value.length > MAX_TEXT;
  if (value !== undefined && key !== undefined && !isTooLong) return { key, value };
  const expected = readPresence ? PRESENCE : codec.expects;
  const detail = `compares ${code} with a value that is not ${expected}`;
  throw invalid(parameter, 'INVALID_VALUE', detail);
}

/** First and last of the values that an operand stands for. */
interface Bounds {
  readonly first: Operand;
  readonly last: Operand;
}

function boundsOf(parameter: string, field: QueryField, given: unknown, moment: Moment): Bounds {
  if (!isNamedTime(field.codec, given)) {
    const operand = readOperand(parameter, field, given);
    return { first: operand, last: operand };
  }
  const { first, last } = readNamedTime(field.codec, given, moment) ?? {};
  const operand = (value: unknown): Operand => ({
    ...readOperand(parameter, field, value),
    named: given,
  });
  return { first: operand(first), last: operand(last) };
}

/** A day stands for all its instants: `gt` begins behind it, `lte` includes it. */
function withinBounds(field: QueryField, op: Operator, bounds: readonly Bounds[]): Filter {
  const [one, other = one] = bounds;
  if (!one || !other) return allOf([]);
  switch (op) {
    case 'ne':
    case 'nin':
      return { kind: 'not', part: withinBounds(field, 'in', bounds) };
    case 'eq':
    case 'in': {
      const parts = bounds.map(({ first, last }) => test(field, 'between', [first, last]));
      return parts.length === 1 ? allOf(parts) : { kind: 'or', parts };
    }
    case 'between':
      return test(field, op, [one.first, other.last]);
    default:
      return test(field, op, [op === 'gt' || op === 'lte' ? one.last : one.first]);
  }
}

function readFlag(operand: unknown): boolean | undefined {
  if (operand === true || operand === 'true' || operand === '') return true;
  return operand === false || operand === 'false' ? false : undefined;
}
