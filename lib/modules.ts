import { listeners as settingsListeners } from '../functions/settings/listeners.ts';
import type { SvcConfig } from '../shared/config/index.ts';
import { events, type Grant, indexQueries, items, secrets } from './grants.ts';
import type { ModuleDefinition } from './module-definition.ts';

/**
 * The table of modules. Adding a module is a row here and its folder below `functions/`: function, role, routes,
 * queues, alarms and outputs follow from the row.
 */
export const platformModules: readonly ModuleDefinition[] = [
  {
    name: 'settings',
    deliveredAs: 'svc-cloud-config',
    configSections: [],
    enabled: () => true,
    paths: () => ['/api/v1/setting'],
    answersUnknownPaths: true,
    listeners: settingsListeners,
    grants: (config) => [
      items(
        ['setting#*'],
        ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
      ),
      indexQueries('gsi1', ['setting']),
      ...sendsMessages(config),
      ...receivesMessages(config),
      items(['IDEM#settings#*'], ['GetItem', 'PutItem']),
      secrets(['svc-cloud/']),
    ],
  },
];

/** Grants of whoever publishes: outbox items in its transactions, their marks and the bus. */
function sendsMessages({ mq }: SvcConfig): Grant[] {
  return [items([`${mq.messageTable}#*`], ['PutItem', 'UpdateItem']), events()];
}

/** Grants of whoever listens: claiming a message and settling the claim. */
function receivesMessages({ mq }: SvcConfig): Grant[] {
  return [items([`${mq.messageTrackingTable}#*`], ['GetItem', 'PutItem', 'UpdateItem'])];
}
