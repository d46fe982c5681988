import type { EntityModel } from '../definitions/model.ts';
import { isJsonObject } from '../entity/json.ts';
import { wordsOf } from '../values/folding.ts';
import { compare, fieldOf, type OperandContext, operatorOf } from './compare.ts';
import { allOf, type Filter } from './filter.ts';
import type { Moment } from './moments.ts';
import { invalid } from './refusal.ts';
import { type FindRelated, refersTo, relatedPath } from './related.ts';

/** Most comparisons of one query. */
const MAX_TESTS = 50;
const MAX_DEPTH = 8;

/** What a condition may name beside fields and values. */
export interface FilterContext extends OperandContext {
  /** Finds records by conditions on those that they refer to; without it there are none. */
  readonly related?: FindRelated | undefined;
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
  const op = operatorOf(parameter, field, given ?? (isList ? 'in' : 'eq'));
  const splits = op === 'in' || op === 'nin' || op === 'between';
  if (!splits && texts.length > 1) {
    throw invalid(parameter, 'DUPLICATE', 'is given more than once');
  }
  const operands = splits ? texts.flatMap((text) => text.split(',')) : texts;
  return compare(parameter, field, op, operands, { moment });
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
  return Object.entries(given).map(([op, operand]) =>
    compare(parameter, field, op, Array.isArray(operand) ? operand : [operand], context),
  );
}

/**
 * The condition of `q`: every word begins a word of the record. A text without any word, as an emoji, finds nothing; a
 * blank one asks for nothing.
 * @throws Problem `INVALID_PARAMETER` (400)
 */
export function parseWords(text: string, model: EntityModel): Filter {
  if (text.trim() === '') return allOf([]);
  const words = wordsOf([text]);
  if (words.length > 20) throw invalid('q', 'TOO_MANY', 'may have at most 20 words');
  if (model.wordFields.length === 0) throw nothingToSearch();
  const wanted: Filter = { kind: 'words', words };
  return words.length === 0 ? allOf([wanted, noRecord(model)]) : wanted;
}

/** Planned as a look at no id, so it reads nothing. */
const noRecord = (model: EntityModel): Filter => refersTo(fieldOf('q', 'id', model), []);

/** Problem of `q` where it searches no field. */
export const nothingToSearch = (): Error =>
  invalid('q', 'NOT_SEARCHABLE', 'finds nothing: the entity has no field with x-search');
