import { problems } from '../../errors.ts';
import type { EntityModel, QueryField } from '../definitions/model.ts';
import type { Comparison, Filter } from './filter.ts';
import { invalid } from './refusal.ts';

/** A condition on the records that a field refers to: `customer.region=north`. */
export interface RelatedTest {
  /** As the caller wrote it. */
  readonly parameter: string;
  /** Entity that the field refers to. */
  readonly entity: string;
  /** The condition on its records. */
  filterOf(target: EntityModel): Filter;
}

/** Ids of the records that meet a condition. */
export type FindRelated = (test: RelatedTest) => readonly string[];

/** Conditions of one query that lead to other entities. */
const MAX_RELATED = 5;

/** The reference that a path such as `customer.region` begins with, and the field of its records. */
export interface RelatedPath {
  readonly field: QueryField;
  readonly entity: string;
  readonly code: string;
}

/** Reads a path such as `customer.region`. @throws Problem `INVALID_PARAMETER` (400) for a path of another form */
export function relatedPath(parameter: string, path: string, model: EntityModel): RelatedPath {
  const at = path.indexOf('.');
  const [own, code] = [path.slice(0, at), path.slice(at + 1)];
  const field = model.queryField(own);
  const entity = model.field(own)?.reference?.entity;
  if (!field || entity === undefined) {
    const detail = `names ${own.slice(0, 80)}, which refers to no other record that can be searched`;
    throw invalid(parameter, 'NOT_A_REFERENCE', detail);
  }
  if (code.includes('.')) throw invalid(parameter, 'TOO_DEEP', 'follows one reference at most');
  return { field, entity, code };
}

/** The records that refer to some others. */
export function refersTo({ code, codec, isMany }: QueryField, ids: readonly string[]): Comparison {
  const operands = ids.map((value) => ({ value, key: codec.encode(value) ?? '' }));
  const keys = new Set(operands.map(({ key }) => key));
  // Ids are equal when their keys are.
  return { kind: 'test', field: code, op: 'in', operands, keys, isExact: true, isMany };
}

/** Refuses too many conditions on related records. @throws Problem `INVALID_PARAMETER` (400) */
export function checkRelated(tests: readonly RelatedTest[]): void {
  const over = tests[MAX_RELATED];
  if (over)
    throw invalid(
      over.parameter,
      'TOO_MANY',
      `is one too many: ${MAX_RELATED} conditions on related records at most`,
    );
}

/** The problem of a condition that more related records meet than one request looks at. */
export const tooManyRelated = ({ parameter }: RelatedTest, max: number): Error =>
  invalid(
    parameter,
    'TOO_MANY',
    `meets more related records than one request looks at (at most ${max}); narrow it, or declare an index for it`,
  );

/** The problem of a condition on texts of related records that take too long to read. */
export const relatedTooLong = ({ parameter }: RelatedTest): Error =>
  invalid(
    parameter,
    'TOO_LONG',
    'looks at long texts of more related records than there is time to read; list them first, and name their ids here',
  );

/** The problem of a list that cannot be ordered by a field. */
export const notSortable = (field: string): Error =>
  invalid('sort', 'NOT_SORTABLE', `cannot sort by ${field.slice(0, 80) || 'an empty name'}`);

/**
 * The field of an entity that refers to another one.
 * @param given field that the caller names; needed where there are several
 * @param sees whether the caller sees a field; the others are not named
 * @throws Problem `ENTITY_NOT_FOUND` (404) when none does, `INVALID_PARAMETER` (400) when the caller has to name one
 */
export function referringField(
  model: EntityModel,
  target: string,
  given: string | undefined,
  sees: (field: string) => boolean,
): string {
  const fields = model.definition.fields
    .filter(
      ({ code, reference }) => reference?.entity === target && model.queryField(code) && sees(code),
    )
    .map(({ code }) => code);
  const [only, ...others] = fields;
  if (only === undefined) throw problems.entityNotFound({ entity: model.code });
  if (given === undefined && others.length === 0) return only;
  if (given !== undefined && fields.includes(given)) return given;
  const wanted = `${model.definition.apiPath}:<field>`;
  throw invalid(
    'relation',
    'INVALID_VALUE',
    `must name a field that refers to ${target}: ${wanted}`,
  );
}
