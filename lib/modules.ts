import { listeners as entitiesListeners } from '../functions/entities/listeners.ts';
import { REFRESH_GROUP, listeners as settingsListeners } from '../functions/settings/listeners.ts';
import type { SvcConfig } from '../shared/config/index.ts';
import { events, type Grant, indexQueries, items, objects, secrets } from './grants.ts';
import type { ModuleDefinition } from './module-definition.ts';

/**
 * The table of modules. Adding a module is a row here and its folder below `functions/`: function, role, routes,
 * queues, alarms and outputs follow from the row.
 */
export const platformModules: readonly ModuleDefinition[] = [
  {
    name: 'settings',
    deliveredAs: 'svc-cloud-config',
    // The paths of the API description depend on it.
    configSections: ['dynamic'],
    enabled: () => true,
    paths: () => ['/api/v1/setting', '/api/v1/health', '/api/v1/openapi.json', '/api/v1/reference'],
    answersUnknownPaths: true,
    listeners: settingsListeners,
    grants: (config) => [
      items(['setting#*'], ['DeleteItem', 'GetItem', 'PutItem', 'Query']),
      items(['setting#@refresh', 'setting#security.aes_secret'], ['UpdateItem']),
      indexQueries('gsi1', ['setting']),
      events(),
      ...claimsMessages(config, REFRESH_GROUP),
      ...keepsAnswers('settings'),
      secrets(['svc-cloud/']),
    ],
  },
  {
    name: 'entities',
    deliveredAs: 'svc-cloud-dynamic',
    configSections: ['dynamic'],
    enabled: (config) => config.dynamic.enabled,
    paths: (config) => ['/api/v1/entity-definitions', `${config.dynamic.apiPrefix}/dynamic`],
    // Records answer by the apiPath of their entity, too: {api-prefix}/{apiPath}.
    fallbackPaths: (config) => [config.dynamic.apiPrefix],
    listeners: entitiesListeners,
    grants: () => [
      items(
        ['DYN_*'],
        [
          'BatchGetItem',
          'BatchWriteItem',
          'ConditionCheckItem',
          'DeleteItem',
          'GetItem',
          'PutItem',
          'Query',
          'UpdateItem',
        ],
      ),
      items(['setting#@refresh'], ['GetItem', 'Query']),
      items(['setting#security.aes_secret'], ['GetItem']),
      objects(['entities/'], ['DeleteObject', 'GetObject', 'PutObject']),
      events(),
      ...keepsAnswers('entities'),
      secrets(['svc-cloud/']),
    ],
  },
];

/** Grants of a consumer group: claiming a message, so that a second delivery does nothing. */
function claimsMessages({ mq }: SvcConfig, group: string): Grant[] {
  return [items([`${mq.messageTrackingTable}#${group}#*`], ['GetItem', 'PutItem'])];
}

/** Grants of a module with idempotent routes: answers kept by Idempotency-Key. */
function keepsAnswers(module: string): Grant[] {
  return [items([`IDEM#${module}#*`], ['GetItem', 'PutItem'])];
}
