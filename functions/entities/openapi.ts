import { type ApiModule, undeployed } from '../../shared/openapi/api-module.ts';
import { DEFINITIONS_PATH } from './api/definition-routes.ts';
import { type EntitiesRouteServices, entitiesRoutes } from './api/routes.ts';

/** The paths by apiPath are other names of the same operations. */
const all: ApiModule['routes'] = (config) =>
  entitiesRoutes(undeployed<EntitiesRouteServices>(), config).filter(
    ({ operationId }) => !operationId.endsWith('ByPath'),
  );

/** How the API description shows the operations of the entities function. */
export const apiModules: readonly ApiModule[] = [
  {
    module: 'entities',
    tag: 'Entity definitions',
    description: 'Declares entities by their form schemas.',
    routes: (config) => all(config).filter(({ path }) => path.startsWith(DEFINITIONS_PATH)),
  },
  {
    module: 'entities',
    tag: 'Records',
    description:
      'Stores, finds and counts the records of every entity. The same operations answer below the prefix and the apiPath of an entity.',
    routes: (config) => all(config).filter(({ path }) => !path.startsWith(DEFINITIONS_PATH)),
  },
];
