import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { ProblemItem } from '../../../../shared/problems/problem.ts';
import type { EntityModel, QueryField } from '../definitions/model.ts';
import { isJsonObject } from '../entity/json.ts';
import type { Operator } from '../values/codecs.ts';
import { wordsOf } from '../values/folding.ts';
import { allOf, type Comparison, type Filter, type Operand } from './filter.ts';
import { isNamedTime, type Moment, readNamedTime } from './moments.ts';
import { type FindRelated, refersTo, relatedPath } from './related.ts';

/** Most comparisons of one query. */
const MAX_TESTS = 50;
/** Most operands of `in` and `nin`. */
const MAX_OPERANDS = 100;
const MAX_DEPTH = 8;
const MAX_TEXT = 1_000;

/** What a condition may name beside fields and values. */
export interface FilterContext {
  /** Finds records by conditions on those that they refer to; without it there are none. */
  readonly related?: FindRelated | undefined;
  /** What `today` and `now` stand for; without it they are no values. */
  readonly moment?: Moment | undefined;
  /** Most values of `in`, where no caller writes them. */
  readonly maxOperands?: number;
}

const OPERATORS: ReadonlySet<string> = new Set<Operator>([
  'eq',
  'ne',
  'in',
  'nin',
  'eqi',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'startsWith',
  'contains',
  'endsWith',
  'null',
  'exists',
]);

/** Problem of an unparsable query, naming the parameter. */
function invalid(parameter: string, code: string, detail: string): Error {
  return httpProblems.invalidParameter([{ parameter, code, detail } satisfies ProblemItem]);
}

/**
 * Reads `field=value` and `field[op]=value`.
 * @throws Problem `INVALID_PARAMETER` (400) for an unknown field or operator, or a value of another type
 */
export function parseParameters(
  parameters: Readonly<Record<string, string | readonly string[]>>,
  model: EntityModel,
  context: FilterContext = {},
): Filter {
  const { related, moment } = context;
  const tests = Object.entries(parameters).map(([name, value]) => {
    const match = /^([^[\]]+)(?:\[([^[\]]*)\])?$/.exec(name);
    const [, code = '', op] = match ?? [];
    if (!match || code.startsWith('$')) {
      throw invalid(name, 'UNKNOWN_PARAMETER', 'is unknown; write field=value or field[op]=value');
    }
    if (code === 'filter' || code === 'filters') {
      const detail =
        'is unknown; write field[op]=value, or filter={"field":{"op":value}} for groups';
      if (op === undefined || model.queryField(op) === undefined)
        throw invalid(name, 'UNKNOWN_PARAMETER', detail);
      return toTest(name, op, undefined, value, model, moment);
    }
    if (related && code.includes('.')) {
      const path = relatedPath(name, code, model);
      const filterOf = (target: EntityModel) => toTest(name, path.code, op, value, target, moment);
      return refersTo(path.field, related({ parameter: name, entity: path.entity, filterOf }));
    }
    return toTest(name, code, op, value, model, moment);
  });
  if (tests.length > MAX_TESTS) {
    throw invalid('filter', 'TOO_MANY', `may have at most ${MAX_TESTS} comparisons`);
  }
  return allOf(tests);
}

function toTest(
  parameter: string,
  code: string,
  given: string | undefined,
  value: string | readonly string[],
  model: EntityModel,
  moment: Moment | undefined,
): Filter {
  const field = fieldOf(parameter, code, model);
  const texts = typeof value === 'string' ? [value] : value;
  const isList = texts.length > 1 || (texts[0] ?? '').includes(',');
  const op = given ?? (isList ? 'in' : 'eq');
  if (!OPERATORS.has(op)) {
    throw unknownOperator(parameter, op, field);
  }
  const splits = op === 'in' || op === 'nin' || op === 'between';
  if (!splits && texts.length > 1) {
    throw invalid(parameter, 'DUPLICATE', 'is given more than once');
  }
  return compare(
    parameter,
    field,
    op as Operator,
    splits ? texts.flatMap((text) => text.split(',')) : texts,
    { moment },
  );
}

/**
 * Reads a filter in JSON: `{"status":"open"}`, `{"amount":{"gte":10,"lt":20}}`, `{"and":[...]}`, `{"or":[...]}`,
 * `{"not":{...}}`; members of one object are combined with AND.
 * @param parameter parameter name for error messages.
 * @throws Problem `INVALID_PARAMETER` (400)
 */
export function parseFilterObject(
  given: unknown,
  model: EntityModel,
  parameter = 'filter',
  context: FilterContext = {},
): Filter {
  let tests = 0;
  const read = (value: unknown, depth: number): Filter => {
    if (!isJsonObject(value)) throw invalid(parameter, 'INVALID_TYPE', 'must be a JSON object');
    if (depth > MAX_DEPTH)
      throw invalid(parameter, 'TOO_DEEP', `may have at most ${MAX_DEPTH} levels of groups`);
    const parts = Object.entries(value).map(([name, operand]) => {
      if (name === 'not') return { kind: 'not', part: read(operand, depth + 1) } as const;
      if ((name === 'and' || name === 'or') && Array.isArray(operand)) {
        const group = operand.map((part) => read(part, depth + 1));
        return name === 'and' ? allOf(group) : ({ kind: 'or', parts: group } as const);
      }
      const found = readMember(parameter, name, operand, model, context);
      tests += found.length;
      if (tests > MAX_TESTS) {
        throw invalid(parameter, 'TOO_MANY', `may have at most ${MAX_TESTS} comparisons`);
      }
      return allOf(found);
    });
    return allOf(parts);
  };
  return read(given, 1);
}

/** Reads the text of the `filter` parameter. @throws Problem `INVALID_PARAMETER` (400) */
export function parseFilterText(text: string, model: EntityModel, context: FilterContext): Filter {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw invalid('filter', 'INVALID_JSON', 'must be valid JSON');
  }
  return parseFilterObject(given, model, 'filter', context);
}

function readMember(
  parameter: string,
  code: string,
  given: unknown,
  model: EntityModel,
  { related, ...context }: FilterContext,
): Filter[] {
  if (related && code.includes('.')) {
    const path = relatedPath(parameter, code, model);
    const filterOf = (target: EntityModel) =>
      allOf(readMember(parameter, path.code, given, target, context));
    return [refersTo(path.field, related({ parameter, entity: path.entity, filterOf }))];
  }
  const field = fieldOf(parameter, code, model);
  if (given === null) return [compare(parameter, field, 'null', [true])];
  if (Array.isArray(given)) return [compare(parameter, field, 'in', given, context)];
  if (!isJsonObject(given)) return [compare(parameter, field, 'eq', [given], context)];
  return Object.entries(given).map(([op, operand]) => {
    if (!OPERATORS.has(op)) {
      throw unknownOperator(parameter, op, field);
    }
    const operands = Array.isArray(operand) ? operand : [operand];
    return compare(parameter, field, op as Operator, operands, context);
  });
}

function fieldOf(parameter: string, code: string, model: EntityModel): QueryField {
  const field = model.queryField(code);
  if (field) return field;
  const isStored = model.field(code) !== undefined;
  throw isStored
    ? invalid(parameter, 'NOT_SEARCHABLE', `names ${code}, which is not searchable`)
    : invalid(parameter, 'UNKNOWN_PARAMETER', `names the unknown field ${code.slice(0, 80)}`);
}

function unknownOperator(parameter: string, op: string, { code, codec }: QueryField): Error {
  const detail = `has no operator ${op.slice(0, 40)}; the operators of ${code} are ${codec.operators.join(', ')}`;
  return invalid(parameter, 'UNKNOWN_OPERATOR', detail);
}

function compare(
  parameter: string,
  field: QueryField,
  op: Operator,
  given: readonly unknown[],
  { moment, maxOperands = MAX_OPERANDS }: FilterContext = {},
): Filter {
  const { codec } = field;
  if (!codec.operators.includes(op)) {
    throw unknownOperator(parameter, op, field);
  }
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
  if (!moment || !given.some((operand) => isNamedTime(codec, operand))) {
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

/** The condition of `q`: every word begins a word of the record. @throws Problem `INVALID_PARAMETER` (400) */
export function parseWords(text: string, model: EntityModel): Filter {
  const words = wordsOf([text]);
  if (words.length === 0) return allOf([]);
  if (words.length > 20) throw invalid('q', 'TOO_MANY', 'may have at most 20 words');
  if (model.wordFields.length === 0) throw nothingToSearch();
  return { kind: 'words', words };
}

/** Problem of `q` where it searches no field. */
export const nothingToSearch = (): Error =>
  invalid('q', 'NOT_SEARCHABLE', 'finds nothing: the entity has no field with x-search');
