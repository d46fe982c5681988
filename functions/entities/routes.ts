import type { SvcConfig } from '../../shared/config/index.ts';
import { Problem } from '../../shared/http/problem.ts';
import { httpProblems } from '../../shared/http/problems.ts';
import type { Route } from '../../shared/http/route.ts';
import { type DefinitionRouteServices, definitionRoutes } from './definition-routes.ts';
import type { RecordRoutePlace } from './entity-route.ts';
import { type QueryRouteServices, queryRoutes } from './query-routes.ts';
import { type RecordRouteServices, recordRoutes } from './record-routes.ts';
import { type SchemaRouteServices, schemaRoutes } from './schema-routes.ts';
import { type TransferRouteServices, transferRoutes } from './transfer-routes.ts';

/** What the routes call. */
export type EntitiesRouteServices = DefinitionRouteServices &
  SchemaRouteServices &
  RecordRouteServices &
  QueryRouteServices &
  TransferRouteServices;

/** The HTTP table of the entities module. Records answer below `/dynamic` and by the apiPath of their entity. */
export function entitiesRoutes(services: EntitiesRouteServices, config: SvcConfig): Route[] {
  const { apiPrefix } = config.dynamic;
  const below = (place: RecordRoutePlace): Route[] => [
    ...queryRoutes(services, config, place),
    ...transferRoutes(services, place),
    ...recordRoutes(services, config, place),
  ];
  return [
    ...definitionRoutes(services, config),
    ...schemaRoutes(services),
    ...below({ base: `${apiPrefix}/dynamic/{entityCode}`, suffix: '' }),
    ...below({ base: `${apiPrefix}/{entityCode}`, suffix: 'ByPath' }).map(unknownAsPath),
  ];
}

/** A path that is no entity's is no path at all. */
function unknownAsPath(route: Route): Route {
  return {
    ...route,
    handle: async (input) => {
      try {
        return await route.handle(input);
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'ENTITY_NOT_FOUND') throw error;
        const path = route.path.replace('{entityCode}', String(input.params.entityCode));
        throw httpProblems.routeNotFound({ method: route.method, path });
      }
    },
  };
}
