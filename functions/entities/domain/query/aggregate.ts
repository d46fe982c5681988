import type { EntityModel, QueryField } from '../definitions/model.ts';
import { codecOf } from '../values/codecs.ts';
import { namesIn } from './list-query.ts';
import { invalid } from './refusal.ts';

/** What is worked out of the values of a field. */
export const FIGURES = ['sum', 'avg', 'min', 'max'] as const;
export type FigureKind = (typeof FIGURES)[number];

/** A figure of each group. */
export interface Figure {
  readonly kind: FigureKind;
  readonly field: QueryField;
}

/** What records are grouped by: the values of a field, or the days, months or years that they fall in. */
export interface GroupKey {
  /** As the caller wrote it. */
  readonly name: string;
  readonly field: QueryField;
  /** First characters of an instant that count; all when there is no number. */
  readonly length?: number;
}

/** Groups and figures that a call asks for. */
export interface AggregateQuery {
  readonly groupBy: readonly GroupKey[];
  readonly figures: readonly Figure[];
}

type Names = Readonly<Partial<Record<FigureKind | 'groupBy', string | readonly string[]>>>;

const MAX_GROUP_KEYS = 2;
const MAX_FIGURES = 20;
const PERIODS: Readonly<Record<string, number>> = { year: 4, month: 7, day: 10 };
const NUMERIC = ['INTEGER', 'NUMBER', 'DECIMAL'];

/** Reads `groupBy=status,createdAt:month&sum=amount`. @throws Problem `INVALID_PARAMETER` (400) */
export function readAggregate(given: Names, model: EntityModel): AggregateQuery {
  const groupBy = namesIn(given.groupBy).map((name) => groupKeyOf(name, model));
  if (
    groupBy.length > MAX_GROUP_KEYS ||
    new Set(groupBy.map(({ name }) => name)).size < groupBy.length
  ) {
    throw invalid('groupBy', 'TOO_MANY', `takes at most ${MAX_GROUP_KEYS} different fields`);
  }
  const figures = FIGURES.flatMap((kind) =>
    [...new Set(namesIn(given[kind]))].map((code) => figureOf(kind, code, model)),
  );
  if (figures.length > MAX_FIGURES) {
    throw invalid(
      'sum',
      'TOO_MANY',
      `, avg, min and max take at most ${MAX_FIGURES} fields together`,
    );
  }
  return { groupBy, figures };
}

function groupKeyOf(name: string, model: EntityModel): GroupKey {
  const [code = '', period, ...more] = name.split(':');
  const field = fieldOf('groupBy', code, model);
  if (period === undefined) return { name, field };
  const length = more.length === 0 && Object.hasOwn(PERIODS, period) ? PERIODS[period] : undefined;
  if (length === undefined || !isTime(field)) {
    const detail = `groups dates and instants by ${Object.keys(PERIODS).join(', ')}, such as createdAt:month`;
    throw invalid('groupBy', 'INVALID_VALUE', detail);
  }
  return { name, field, length };
}

function figureOf(kind: FigureKind, code: string, model: EntityModel): Figure {
  const field = fieldOf(kind, code, model);
  const isNumeric = NUMERIC.includes(model.field(code)?.fieldType ?? '');
  const isFit = kind === 'sum' || kind === 'avg' ? isNumeric : field.codec.operators.includes('gt');
  if (isFit) return { kind, field };
  const expected = kind === 'sum' || kind === 'avg' ? 'a number' : 'ordered';
  throw invalid(kind, 'INVALID_TYPE', `names ${code}, which is not ${expected}`);
}

const isTime = ({ codec }: QueryField): boolean =>
  codec === codecOf({ fieldType: 'DATE' }) || codec === codecOf({ fieldType: 'DATETIME' });

function fieldOf(parameter: string, code: string, model: EntityModel): QueryField {
  const field = model.queryField(code);
  if (field && !field.isMany) return field;
  const shown = code.slice(0, 80);
  if (field) throw invalid(parameter, 'INVALID_TYPE', `names ${shown}, which has several values`);
  throw model.field(code)
    ? invalid(parameter, 'NOT_SEARCHABLE', `names ${shown}, which is not searchable`)
    : invalid(parameter, 'UNKNOWN_FIELD', `names the unknown field ${shown}`);
}

/** The problem of too many groups for one answer. */
export const tooManyGroups = (max: number): Error =>
  invalid(
    'groupBy',
    'TOO_MANY',
    `makes more than ${max} groups; filter, or group by a field of fewer values or by month or year`,
  );
