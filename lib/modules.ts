import {
  listeners as entitiesListeners,
  schedules as entitiesSchedules,
  JOB_GROUP,
} from '../functions/entities/listeners.ts';
import { listeners as messagingListeners } from '../functions/messaging/listeners.ts';
import { REFRESH_GROUP, listeners as settingsListeners } from '../functions/settings/listeners.ts';
import type { SvcConfig } from '../shared/config/index.ts';
import { events, type Grant, indexQueries, items, objects, secrets } from './functions/grants.ts';
import type { ModuleDefinition } from './functions/module-definition.ts';

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
      ...publishesMessages(config),
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
    schedules: entitiesSchedules,
    grants: (config) => [
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
      ...publishesMessages(config),
      ...claimsMessages(config, JOB_GROUP),
      ...keepsAnswers('entities'),
      secrets(['svc-cloud/']),
    ],
  },
  {
    name: 'messaging',
    deliveredAs: 'svc-cloud-mq',
    configSections: [],
    enabled: ({ mq }) => mq.enabled,
    paths: () => ['/broker'],
    listeners: messagingListeners,
    runsHostListeners: true,
    grants: (config) => [
      indexQueries('gsi1', [`${config.mq.messageTable}#dead`]),
      ...publishesMessages(config),
      ...claimsMessages(config, '*'),
      objects(['outbox/dead/'], ['DeleteObject']),
      ...keepsAnswers('messaging'),
      items(['setting#@refresh'], ['GetItem', 'Query']),
    ],
    jobs: [
      {
        name: 'relay',
        timeoutSeconds: 60,
        memoryMb: 512,
        enabled: ({ mq }) => mq.relay.enabled,
        grants: (config) => [
          indexQueries('gsi1', [
            `${config.mq.messageTable}#due#*`,
            `${config.mq.messageTable}#dead`,
          ]),
          ...publishesMessages(config),
          items([`${config.mq.messageTrackingTable}#*`], ['GetItem', 'UpdateItem']),
          items(['LOCK#messaging#*'], ['GetItem', 'UpdateItem']),
          items(['setting#@refresh'], ['GetItem', 'Query']),
        ],
      },
    ],
  },
];

/**
 * Grants of whoever publishes: rows of the outbox in its transactions, their marks, the bodies of large messages and
 * the bus.
 */
function publishesMessages({ mq }: SvcConfig): Grant[] {
  return [
    items([`${mq.messageTable}#*`], ['GetItem', 'PutItem', 'UpdateItem']),
    objects(['outbox/2', 'outbox/dead/'], ['GetObject', 'PutObject']),
    events(),
  ];
}

/**
 * Grants of a consumer group: claiming a message, so that a second delivery does nothing, reading large bodies and
 * keeping those of dead letters.
 */
function claimsMessages({ mq }: SvcConfig, group: string): Grant[] {
  const groupKeys = group === '*' ? '*' : `${group}#*`;
  return [
    items([`${mq.messageTrackingTable}#${groupKeys}`], ['GetItem', 'UpdateItem']),
    items([`received_messages#${groupKeys}`], ['GetItem', 'PutItem']),
  ];
}

/** Grant of a function that runs listeners of the host: items of the host's own, below `HOST#`. */
export function hostItems(): Grant {
  return items(
    ['HOST#*'],
    ['ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
  );
}

/** Grants of a module with idempotent routes: answers kept by Idempotency-Key. */
function keepsAnswers(module: string): Grant[] {
  return [items([`IDEM#${module}#*`], ['GetItem', 'PutItem'])];
}
