import type { PlatformConfig } from '../../../shared/config/index.ts';
import { ok } from '../../../shared/http/reply.ts';
import type { Route } from '../../../shared/http/route.ts';
import type { EntityAccess } from '../access/entity-access.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import { referringField } from '../domain/query/related.ts';
import { problems } from '../errors.ts';
import type { QueryService } from '../queries/query-service.ts';
import type { RecordReader } from '../records/record-reader.ts';
import { entityRoutesAt, type RecordRoutePlace } from './entity-route.ts';
import * as examples from './examples.ts';
import { LIST_PROBLEMS } from './query-routes.ts';
import type { RecordPresenter } from './record-presenter.ts';
import * as queries from './record-queries.ts';
import * as schemas from './record-schemas.ts';

export interface RelationRouteServices {
  readonly catalog: EntityCatalog;
  readonly access: EntityAccess;
  readonly recordReader: RecordReader;
  readonly queryService: Pick<QueryService, 'list'>;
  readonly presenter: RecordPresenter;
}

/** Routes from a record to those that refer to it. */
export function relationRoutes(
  { catalog, access, recordReader, queryService, presenter }: RelationRouteServices,
  config: Pick<PlatformConfig, 'web'>,
  place: RecordRoutePlace,
): Route[] {
  const entityRoute = entityRoutesAt(place, catalog);
  return [
    entityRoute({
      operationId: 'listReferringRecords',
      method: 'GET',
      path: '/{id}/{relation}',
      summary: 'Lists the records of another entity that refer to a record',
      description:
        '`relation` is the code or the apiPath of the other entity, followed by `:` and the field where several of its fields refer to this entity (`orders:payer`). Parameters are those of a list of that entity.',
      params: schemas.relationParams,
      query: () => queries.listQuery(config),
      responses: {
        200: {
          description: 'A page of records of the other entity',
          schema: schemas.recordPage,
          example: examples.recordPage,
        },
      },
      problems: [...LIST_PROBLEMS, problems.recordNotFound],
      handle: async (model, { params, query, principal }) => {
        const { header } = await recordReader.get(model, params.id, principal, false, []);
        const [relation = '', by] = params.relation.split(':');
        const page = await catalog.withEntity(relation, async (other) => {
          const { fields } = await access.check(other, principal, 'view');
          const sees = (code: string): boolean => fields?.has(code) ?? true;
          const within = { field: referringField(other, model.code, by, sees), id: header.id };
          const call = { ...queries.listCall(query), within };
          const outcome = await queryService.list(other, call, principal);
          return presenter.page(other, outcome, call.parameters, principal);
        });
        return ok(page);
      },
    }),
  ];
}
