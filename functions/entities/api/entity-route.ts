import type * as z from 'zod';
import type { FormSchema } from '../../../shared/http/form.ts';
import type { Reply } from '../../../shared/http/reply.ts';
import {
  decidedByData,
  type Route,
  type RouteInput,
  type RouteSpec,
  route,
} from '../../../shared/http/route.ts';
import type { Lazily } from '../../../shared/primitives/lazy.ts';
import type { DeclaredProblem } from '../../../shared/problems/problem.ts';
import { encryptionProblems } from '../../settings/port.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { problems } from '../errors.ts';

/** Base path of record routes. */
export interface RecordRoutePlace {
  /** Path of an entity, with `{entityCode}`. */
  readonly base: string;
  /** Added to the operation ids. */
  readonly suffix: string;
}

/** A route below an entity, as the tables write it. */
export interface EntityRouteSpec<
  P extends z.ZodType<{ entityCode: string }>,
  Q extends z.ZodType,
  B extends z.ZodType,
  F extends FormSchema,
> extends Omit<
    RouteSpec<P, Q, B, z.ZodType, F>,
    'access' | 'params' | 'problems' | 'handle' | 'replay'
  > {
  /** Path below the entity's own. */
  readonly path: string;
  readonly params: Lazily<P>;
  /** Problems besides those of the pipeline, of encrypted fields and `ENTITY_NOT_FOUND`. */
  readonly problems?: readonly DeclaredProblem[];
  readonly handle: (
    model: EntityModel,
    input: RouteInput<z.output<P>, z.output<Q>, z.output<B>, unknown, z.output<F>>,
  ) => Promise<Reply>;
  readonly replay?: (
    model: EntityModel,
    kept: unknown,
    input: RouteInput<z.output<P>, z.output<Q>, z.output<B>, unknown, z.output<F>>,
  ) => Promise<Reply>;
}

/** Declares routes below the path of an entity: its definition decides access, and the handler receives the entity. */
export type DeclareEntityRoute = <
  P extends z.ZodType<{ entityCode: string }>,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  F extends FormSchema = FormSchema,
>(
  spec: EntityRouteSpec<P, Q, B, F>,
) => Route;

/** The declaring function for the routes of one place. */
export function entityRoutesAt(
  { base, suffix }: RecordRoutePlace,
  catalog: EntityCatalog,
): DeclareEntityRoute {
  return ({ operationId, path, problems: own = [], handle, replay, ...spec }) =>
    route({
      ...spec,
      tag: 'Records',
      operationId: `${operationId}${suffix}`,
      path: `${base}${path}`,
      access: decidedByData,
      problems: [problems.entityNotFound, ...encryptionProblems, ...own],
      handle: (input) =>
        catalog.withEntity(input.params.entityCode, (model) => handle(model, input)),
      replay:
        replay &&
        ((kept, input) =>
          catalog.withEntity(input.params.entityCode, (model) => replay(model, kept, input))),
    });
}

/** Path below an entity, with the name by which the caller addressed it. */
export const pathBelow = ({ base }: RecordRoutePlace, entityName: string, path: string): string =>
  `${base.replace('{entityCode}', entityName)}${path}`;

/** Where a live record that is too large for an answer is exported from. */
export const exportOf =
  (place: RecordRoutePlace, entityName: string) =>
  (record: unknown): string | undefined => {
    const { id, deletedAt } = record as Readonly<Record<string, unknown>>;
    if (typeof id !== 'string' || deletedAt !== undefined) return undefined;
    return pathBelow(place, entityName, `/export?format=json&id=${id}`);
  };
