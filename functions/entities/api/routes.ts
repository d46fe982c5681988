import { type FileRouteServices, fileRoutes } from '../../../shared/files/file-routes.ts';
import type { Route } from '../../../shared/http/route.ts';
import { withMembers } from '../../../shared/primitives/lazy.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import { isNoEntity } from '../catalog/entity-catalog.ts';
import type { EntitiesConfig } from '../configuration.ts';
import { FILES_PATH } from '../store/file-links.ts';
import { type DefinitionRouteServices, definitionRoutes } from './definition-routes.ts';
import type { RecordRoutePlace } from './entity-route.ts';
import { type QueryRouteServices, queryRoutes } from './query-routes.ts';
import { type RecordRouteServices, recordRoutes } from './record-routes.ts';
import { type RelationRouteServices, relationRoutes } from './relation-routes.ts';
import { type SchemaRouteServices, schemaRoutes } from './schema-routes.ts';
import { type AttachmentRouteServices, attachmentRoutes } from './transfers/attachment-routes.ts';
import { type JobRouteServices, jobRoutes } from './transfers/job-routes.ts';
import { type MassChangeRouteServices, massChangeRoutes } from './transfers/mass-change-routes.ts';
import { type TransferRouteServices, transferRoutes } from './transfers/transfer-routes.ts';
import { type UploadRouteServices, uploadRoutes } from './transfers/upload-routes.ts';

export type EntitiesRouteServices = DefinitionRouteServices &
  SchemaRouteServices &
  RecordRouteServices &
  QueryRouteServices &
  RelationRouteServices &
  TransferRouteServices &
  JobRouteServices &
  MassChangeRouteServices &
  AttachmentRouteServices &
  UploadRouteServices &
  FileRouteServices;

/** Routes of the entities module. Records are served below `/dynamic` and by the apiPath of their entity. */
export function entitiesRoutes(services: EntitiesRouteServices, config: EntitiesConfig): Route[] {
  const { apiPrefix } = config.dynamic;
  const below = (place: RecordRoutePlace): Route[] => [
    ...queryRoutes(services, config, place),
    ...transferRoutes(services, place),
    ...jobRoutes(services, place),
    ...massChangeRoutes(services, place),
    ...attachmentRoutes(services, place),
    ...uploadRoutes(services, place),
    ...recordRoutes(services, config, place),
    ...relationRoutes(services, config, place),
  ];
  const byCode = below({ base: `${apiPrefix}/dynamic/{entityCode}`, suffix: '' });
  const byPath = below({ base: `${apiPrefix}/{entityCode}`, suffix: 'ByPath' });
  return [
    ...definitionRoutes(services, config),
    ...schemaRoutes(services),
    ...fileRoutes(FILES_PATH, 'OfEntities', services),
    ...byCode,
    ...byPath.map(unknownAsPath),
  ];
}

/** Below the API prefix, a segment that no entity has is an unknown path. */
function unknownAsPath(route: Route): Route {
  return withMembers(route, {
    isAlias: true,
    handle: async (input) => {
      try {
        return await route.handle(input);
      } catch (error) {
        if (!isNoEntity(error)) throw error;
        const { method } = route;
        const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
          String(input.params[name]),
        );
        throw httpProblems.routeNotFound({ method, path });
      }
    },
  });
}
