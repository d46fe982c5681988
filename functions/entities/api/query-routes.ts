import type { PlatformConfig } from '../../../shared/config/index.ts';
import { etag, ok } from '../../../shared/http/reply.ts';
import type { Route } from '../../../shared/http/route.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import { readNames } from '../domain/query/list-query.ts';
import { problems } from '../errors.ts';
import type { AggregateService } from '../queries/aggregate-service.ts';
import type { ListCall } from '../queries/list-call.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { TreeService } from '../trees/tree-service.ts';
import { entityRoutesAt, exportOf, type RecordRoutePlace } from './entity-route.ts';
import * as examples from './examples.ts';
import type { RecordPresenter } from './record-presenter.ts';
import * as queries from './record-queries.ts';
import * as schemas from './record-schemas.ts';
import { toFormSchema } from './views.ts';

export interface QueryRouteServices {
  readonly catalog: EntityCatalog;
  readonly access: EntityAccess;
  readonly queryService: Pick<QueryService, 'list' | 'count' | 'facets'>;
  readonly presenter: RecordPresenter;
  readonly treeService: Pick<TreeService, 'tree'>;
  readonly aggregateService: Pick<AggregateService, 'aggregate'>;
}

/** Problems of all routes that list records. */
export const LIST_PROBLEMS = [
  problems.invalidCursor,
  problems.pageWindowExceeded,
  problems.sortNeedsIndex,
];

type Parameters = ListCall['parameters'];

/** Routes that find, count and describe records, the same for every entity. */
export function queryRoutes(
  { catalog, access, queryService, presenter, treeService, aggregateService }: QueryRouteServices,
  config: Pick<PlatformConfig, 'web'>,
  place: RecordRoutePlace,
): Route[] {
  const entityRoute = entityRoutesAt(place, catalog);

  return [
    entityRoute({
      operationId: 'listRecords',
      method: 'GET',
      path: '',
      summary: 'Lists records by filter, words and order',
      description:
        'Filters are `field=value` and `field[op]=value`; `filter={json}` groups them with and, or, not. `customer.region=north` asks for a field of the record that `customer` refers to. `/schema` names the operators of each field. Text is compared without case and accents by startsWith, contains, endsWith and eqi. Dates and instants are compared with `today` and `today-7d`, instants also with `now` and `now-2h`.',
      params: schemas.entityParams,
      query: () => queries.listQuery(config),
      responses: {
        200: {
          description: 'A page of records',
          schema: schemas.recordPage,
          example: examples.recordPage,
        },
      },
      problems: LIST_PROBLEMS,
      handle: async (model, { params, query, principal }) => {
        const call = queries.listCall(query);
        const outcome = await queryService.list(model, call, principal);
        const page = await presenter.page(model, outcome, call.parameters, principal);
        return { ...ok(page), fileOf: exportOf(place, params.entityCode) };
      },
    }),
    entityRoute({
      operationId: 'countRecords',
      method: 'GET',
      path: '/count',
      summary: 'Counts records that match filters',
      params: schemas.entityParams,
      query: queries.countQuery,
      responses: {
        200: {
          description: 'The count',
          schema: schemas.count,
          example: { count: 1_234, relation: 'eq' },
        },
      },
      handle: async (model, { query, principal }) =>
        ok(await queryService.count(model, query as Parameters, principal, query.count)),
    }),
    entityRoute({
      operationId: 'getRecordFacets',
      method: 'GET',
      path: '/facets',
      summary: 'Counts records for each value of fields',
      description: 'When more records match than one request may read, `X-Total-Relation` is gte.',
      params: schemas.entityParams,
      whenTooLarge: 'Name fewer fields with long values, or filter for fewer records.',
      query: queries.facetQuery,
      responses: {
        200: {
          description: 'The counts by field',
          schema: schemas.facets,
          example: { status: [{ value: 'open', count: 12 }] },
        },
      },
      handle: async (model, { query, principal }) => {
        const isKnown = (name: string): boolean => model.queryField(name) !== undefined;
        const fields = readNames('fields', query.fields, isKnown) ?? [];
        const { facets, isExact } = await queryService.facets(
          model,
          fields,
          query as Parameters,
          principal,
        );
        return ok(facets, { 'x-total-relation': isExact ? 'eq' : 'gte' });
      },
    }),
    entityRoute({
      operationId: 'aggregateRecords',
      method: 'GET',
      path: '/aggregate',
      summary: 'Counts, adds up and averages records by groups',
      description:
        '`groupBy` takes up to two fields, dates and instants also by year, month or day (`createdAt:month`); `sum`, `avg`, `min` and `max` name fields. Sums are exact, averages have at most ten decimal places more than their values. `complete: false`: the work limit was reached, and the figures are of `count` records.',
      params: schemas.entityParams,
      whenTooLarge: 'Group by fields of fewer or shorter values.',
      query: queries.aggregateQuery,
      responses: {
        200: {
          description: 'The groups in the order of their values',
          schema: schemas.aggregate,
          example: examples.aggregate,
        },
      },
      handle: async (model, { query, principal }) => {
        const { count } = query;
        const parameters = query as Parameters;
        return ok(await aggregateService.aggregate(model, parameters, principal, count));
      },
    }),
    entityRoute({
      operationId: 'listDeletedRecords',
      method: 'GET',
      path: '/trash',
      summary: 'Lists deleted records, newest deletion first',
      params: schemas.entityParams,
      query: () => queries.trashQuery(config),
      responses: {
        200: {
          description: 'A page of deleted records',
          schema: schemas.recordPage,
          example: examples.trashPage,
        },
      },
      problems: LIST_PROBLEMS,
      handle: async (model, { query, principal }) => {
        const { page, size, cursor } = query;
        const parameters = query as Parameters;
        const call = { page, size, cursor, deleted: 'only', parameters } as const;
        const outcome = await queryService.list(model, call, principal);
        return ok(await presenter.page(model, outcome, parameters, principal));
      },
    }),
    entityRoute({
      operationId: 'getRecordTree',
      method: 'GET',
      path: '/tree',
      summary: 'Shows the records of a hierarchical entity as a tree',
      params: schemas.entityParams,
      whenTooLarge:
        'Ask for fewer nodes by maxNodes, or by root and depth, or for fewer fields by the query parameter fields.',
      query: queries.treeQuery,
      responses: {
        200: {
          description:
            'The root nodes with their descendants; `X-Truncated: true` when there are more',
          schema: schemas.tree,
          example: examples.treeNodes,
        },
      },
      problems: [problems.notHierarchical, problems.recordNotFound],
      handle: async (model, { query: { fields, ...call }, principal }) => {
        const names = readNames('fields', fields, (name) => model.field(name) !== undefined);
        const { nodes, isTruncated } = await treeService.tree(
          model,
          { ...call, fields: names },
          principal,
        );
        return ok(nodes, isTruncated ? { 'x-truncated': 'true' } : undefined);
      },
    }),
    entityRoute({
      operationId: 'getRecordFormSchema',
      method: 'GET',
      path: '/schema',
      summary: 'Returns what a client needs to show forms and filters of an entity',
      description:
        'For whoever may view, add or edit records: names the fields that the caller sees or may write, and no other.',
      params: schemas.entityParams,
      responses: {
        200: {
          description: 'The schema, the fields and what the caller may do',
          schema: schemas.formSchema,
          headers: { etag: 'Version of the definition, quoted.' },
          example: examples.form,
        },
      },
      handle: async (model, { principal }) => {
        const grants = await access.grants(model, principal);
        return ok(toFormSchema(model, grants), etag(model.definition.version));
      },
    }),
  ];
}
