import type { DynamoDBRecord, SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { PlatformConfig } from '../config/index.ts';
import type { Host } from '../host/host.ts';
import type { Route } from '../http/route.ts';
import type { Listener } from '../messaging/consuming/listener.ts';
import type { Messaging } from '../messaging/messaging.ts';
import type { EventPublisher } from '../messaging/wire/event-publisher.ts';
import type { SettingService } from '../ports/settings.ts';
import type { Clock, TenantClock } from '../primitives/clock.ts';
import type { IdGenerator } from '../primitives/ids.ts';
import type { Log } from '../primitives/log.ts';
import type { RefreshScope } from '../refresh/refresh-scope.ts';
import type { OneTimeSchedules } from '../schedules/one-time-schedule.ts';
import type { ReadSessionKeys } from '../sessions/session-authentication.ts';
import type { BatchWriter } from '../store/batch-writer.ts';
import type { Table } from '../store/table.ts';
import type { RunUnitOfWork } from '../store/unit-of-work.ts';
import type { Environment } from './environment.ts';

/** Reads a text from Secrets Manager; `reference` is `<id>` or `<id>#<jsonKey>`. */
export interface SecretReader {
  /** @param versionId a version of the secret; the current one when left out. */
  (reference: string, versionId?: string): Promise<string>;
  /** Id of the current version of a secret, or of the one before; `undefined` when there is none. */
  readonly versionOf?: (reference: string, stage: SecretStage) => Promise<string | undefined>;
  /** When the current version of a secret was made (epoch ms); `undefined` when that is not known. */
  readonly madeAt?: (reference: string) => Promise<number | undefined>;
}

/** Labels of versions in Secrets Manager. */
export type SecretStage = 'AWSCURRENT' | 'AWSPREVIOUS';

/** Dependencies of services: configuration, host, table, events, clock and the like. */
export interface ServiceContext<C extends PlatformConfig = PlatformConfig> {
  readonly config: C;
  readonly host: Host;
  readonly environment: Environment;
  /** The time that the caller's tenant sees. */
  readonly clock: Clock;
  /** The same, and the times of other tenants and of the machine. */
  readonly tenantClock: TenantClock;
  readonly ids: IdGenerator;
  readonly log: Log;
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly batchWrite: BatchWriter;
  readonly events: EventPublisher;
  readonly refreshScope: RefreshScope;
  readonly readSecret: SecretReader;
  /** Waits; default: by a timer. */
  readonly pause?: (ms: number) => Promise<unknown>;
  /** Default: those of the module's group, where its declaration has one. */
  readonly schedules?: OneTimeSchedules;
}

/** The dependencies of a module. */
export interface ModuleContext<C extends PlatformConfig = PlatformConfig>
  extends ServiceContext<C> {
  /** Internals behind `events` (outbox, tracking, queues), for the messaging module only. */
  readonly messaging: Messaging;
}

/** Tasks that a schedule or a state machine starts by name. */
export type Task = (input: unknown) => Promise<unknown>;

/** The entry points of a module. */
export interface Module {
  readonly routes: readonly Route[];
  /** Runs once in each environment before its first event; while it fails, every event fails. */
  readonly start?: () => Promise<void>;
  readonly listeners?: readonly Listener[];
  /** Settings for the listeners that run in this function. */
  readonly settings?: SettingService;
  readonly tasks?: Readonly<Record<string, Task>>;
  /** Task of an event that names none. */
  readonly defaultTask?: string;
  /** Handles records of the table's stream; must not throw. */
  readonly onStream?: (records: readonly DynamoDBRecord[]) => Promise<void>;
  /** The keys that tokens of its logins are checked by; other functions fetch them. */
  readonly sessionKeys?: ReadSessionKeys;
  /** Handles batches of queues without a listener; returns `undefined` for the queue of a listener. */
  readonly onQueue?: (records: readonly SQSRecord[]) => Promise<SQSBatchResponse> | undefined;
}

/** Builds a module once per warm environment. */
export type ModuleFactory<C extends PlatformConfig = PlatformConfig> = (
  context: ModuleContext<C>,
) => Module;
