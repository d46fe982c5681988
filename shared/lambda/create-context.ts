import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { PlatformConfig } from '../config/index.ts';
import type { Host } from '../host/host.ts';
import { createMessaging } from '../messaging/messaging.ts';
import { createBus } from '../messaging/outbox/bus.ts';
import { createBackgroundWork } from '../messaging/publishing/background-work.ts';
import { systemClock } from '../primitives/clock.ts';
import { uuidV7 } from '../primitives/ids.ts';
import { clientLimits } from '../primitives/request-limits.ts';
import { RefreshScope } from '../refresh/refresh-scope.ts';
import { createBatchWriter } from '../store/batch-writer.ts';
import { createDocumentClient } from '../store/document-client.ts';
import { createItemWriter } from '../store/item-writer.ts';
import { createTable } from '../store/table.ts';
import { createTenantClock } from '../store/tenant-clock.ts';
import { createUnitOfWork } from '../store/unit-of-work.ts';
import type { Environment } from './environment.ts';
import { createLog } from './logger.ts';
import type { ModuleContext } from './module-context.ts';
import { createSecretReader } from './secrets.ts';

/** Creates the context of a module from its environment. */
export function createContext<C extends PlatformConfig>(
  environment: Environment<C>,
  host: Host,
): ModuleContext<C> {
  const { config, tableName } = environment;
  const clock = systemClock;
  const log = createLog(environment.module);
  const client = createDocumentClient(new DynamoDBClient(clientLimits));
  const table = createTable(client, tableName);
  const tenantClock = createTenantClock({ environment, config }, table, clock);
  const background = createBackgroundWork(clock, log);
  const unitOfWork = createUnitOfWork({
    client,
    hold: background.hold,
    tableName,
    ids: uuidV7,
    onAfterCommitError: (cause) => log.error('Work after a commit failed', { cause }),
  });
  const messaging = createMessaging({
    module: environment.module,
    ...{ config, table, unitOfWork, background, clock, log },
    writer: createItemWriter(client, tableName),
    bus: createBus(),
    busName: environment.eventBusName,
    bucketName: environment.bucketName,
    topology: environment.messaging,
    ids: uuidV7,
  });
  return {
    config,
    host,
    environment,
    clock: tenantClock,
    tenantClock,
    ids: uuidV7,
    log,
    table,
    unitOfWork,
    messaging,
    events: messaging.events,
    batchWrite: createBatchWriter(client, tableName),
    refreshScope: new RefreshScope({
      table,
      clock,
      log,
      stalenessMs: config.config.refreshStalenessMs,
    }),
    readSecret: createSecretReader(),
  };
}
