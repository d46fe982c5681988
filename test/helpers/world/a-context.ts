import type { APIGatewayProxyStructuredResultV2, SQSBatchResponse } from 'aws-lambda';
import type { SvcConfig } from '../../../lib/modules.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import type { Host } from '../../../shared/host/host.ts';
import type { Route } from '../../../shared/http/route.ts';
import { connectModule } from '../../../shared/lambda/handlers/create-handler.ts';
import type {
  ModuleContext,
  ModuleFactory,
  SecretReader,
} from '../../../shared/lambda/module-context.ts';
import { createMessaging } from '../../../shared/messaging/messaging.ts';
import { createBackgroundWork } from '../../../shared/messaging/publishing/background-work.ts';
import { AnsweringTime } from '../../../shared/messaging/wire/answering-time.ts';
import type { MessageEnvelope } from '../../../shared/messaging/wire/envelope.ts';
import { type MessagingTopology, queueName } from '../../../shared/messaging/wire/topology.ts';
import { RefreshScope } from '../../../shared/refresh/refresh-scope.ts';
import { createBatchWriter } from '../../../shared/store/batch-writer.ts';
import { createItemWriter } from '../../../shared/store/item-writer.ts';
import { createTable } from '../../../shared/store/table.ts';
import { createTenantClock } from '../../../shared/store/tenant-clock.ts';
import { createUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { apiEvent, lambdaContext } from '../api/api-event.ts';
import { undeclaredProblems } from '../api/check-problem.ts';
import { admin, aToken, type TestClaims, testSecurity } from '../api/test-tokens.ts';
import { type CapturedBus, capturedBus } from '../captured/captured-bus.ts';
import { type CapturedLog, capturedLog } from '../captured/captured-log.ts';
import { type CapturedMetrics, capturedMetrics } from '../captured/captured-metrics.ts';
import { type CapturedQueues, capturedQueues } from '../captured/captured-queues.ts';
import { type CapturedSchedules, capturedSchedules } from '../captured/captured-schedules.ts';
import { type MemoryPayloads, memoryPayloads } from '../captured/memory-payloads.ts';
import { type MemoryDynamoDb, memoryDynamoDb } from '../memory-dynamodb/memory-dynamodb.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { predictableIds } from './predictable-ids.ts';
import { loadConfig, plainTopology } from './svc-config.ts';

process.env.POWERTOOLS_METRICS_DISABLED = 'true';

/** A module's context over a table in memory, with everything a test looks at. */
export interface TestContext extends ModuleContext<SvcConfig> {
  readonly clock: FakeClock;
  readonly log: CapturedLog;
  readonly machineClock: FakeClock;
  readonly db: MemoryDynamoDb;
  readonly bus: CapturedBus;
  readonly queues: CapturedQueues;
  readonly payloads: MemoryPayloads;
  readonly metrics: CapturedMetrics;
  readonly schedules: CapturedSchedules;
}

/** What differs from the usual test context. */
export interface ContextOptions {
  readonly module?: string;
  /** Default: the claims-based policies of the standalone app. */
  readonly host?: Host;
  /** Raw `svc` configuration, besides the test issuer. */
  readonly svc?: Readonly<Record<string, unknown>>;
  readonly readSecret?: SecretReader;
  /** Who listens where, as the stack tells a function. */
  readonly topology?: Partial<MessagingTopology>;
  /** Time that an invocation waits for a broker without an answer (ms). */
  readonly sendingMs?: number;
  /** Time that the burial of a message may take (ms). */
  readonly burialMs?: number;
  /** Time that an invocation waits for a bucket without an answer (ms); default: as long as it takes. */
  readonly bucketMs?: number;
  /** Names of the functions that the module calls. */
  readonly functions?: Readonly<Record<string, string>>;
  /** Modules that bind ports of this one. */
  readonly portUsers?: Readonly<Record<string, readonly string[]>>;
  /** Pause of a unit of work after a conflict (ms). Default: none. */
  readonly pauseMs?: () => number;
  /** Tries of the table's client for one request; default: 1. */
  readonly dbAttempts?: number;
  /** Another environment of the same deployment: it has the same table, bus, clock and ids. */
  readonly besides?: TestContext;
}

const TABLE_NAME = 'svc-cloud';

/** Builds the context of one warm environment. */
export function aContext({
  module = 'settings',
  host = { permissionEvaluator: claimsPermissionEvaluator },
  svc = {},
  readSecret = () => Promise.reject(new Error('There is no such secret')),
  topology = {},
  sendingMs,
  bucketMs,
  burialMs,
  functions,
  portUsers,
  pauseMs = () => 0,
  dbAttempts = 1,
  besides,
}: ContextOptions = {}): TestContext {
  const stage = 'local';
  const config = loadConfig({ security: testSecurity, ...svc }, { stage });
  const clock = besides?.machineClock ?? fakeClock();
  const ids = besides?.ids ?? predictableIds(module === 'entities' ? clock.now : undefined);
  const bus = besides?.bus ?? capturedBus();
  const db =
    besides?.db ??
    memoryDynamoDb({ tableName: TABLE_NAME, now: clock.now, maxAttempts: dbAttempts });
  const queues = besides?.queues ?? capturedQueues();
  const payloads =
    besides?.payloads ??
    memoryPayloads(bucketMs === undefined ? undefined : new AnsweringTime(clock, bucketMs));
  const metrics = besides?.metrics ?? capturedMetrics();
  const schedules = besides?.schedules ?? capturedSchedules();
  const log = capturedLog();
  const table = createTable(db.client, TABLE_NAME);
  const background = createBackgroundWork(clock, log);
  const unitOfWork = createUnitOfWork({
    client: db.client,
    hold: background.hold,
    tableName: TABLE_NAME,
    ids,
    onAfterCommitError: (cause) => log.error('Work after a commit failed', { cause }),
    pauseMs,
  });
  const environment = {
    module,
    stage,
    version: '0.0.0-test',
    modulesOn: [module],
    tableName: TABLE_NAME,
    bucketName: 'svc-cloud-bucket',
    eventBusName: 'svc-cloud-bus',
    messaging: { ...plainTopology, ...topology },
    services: { stateMachines: {}, ...(functions && { functions }) },
    config,
    otherSections: {},
    ...(portUsers && { portUsers }),
  };
  const tenantClock = createTenantClock({ environment, config }, table, clock);
  const messaging = createMessaging({
    ...{ module, config, table, unitOfWork, background, clock, ids, log },
    ...{ queues, payloads, metrics },
    writer: createItemWriter(db.client, TABLE_NAME, () => 0),
    bus: bus.client,
    busName: environment.eventBusName,
    bucketName: environment.bucketName,
    topology: environment.messaging,
    ...(sendingMs === undefined ? {} : { sendingMs }),
    ...(burialMs === undefined ? {} : { burialMs }),
  });
  return {
    ...{ config, host, environment, ids, log, table, db, bus, queues, payloads, unitOfWork },
    clock: { now: tenantClock.now, advance: clock.advance },
    tenantClock,
    machineClock: clock,
    metrics,
    schedules,
    messaging,
    events: messaging.events,
    batchWrite: createBatchWriter(db.client, TABLE_NAME, () => 0),
    refreshScope: new RefreshScope({
      table,
      clock,
      log,
      stalenessMs: config.config.refreshStalenessMs,
    }),
    readSecret,
    pause: async (ms) => clock.advance(ms),
  };
}

/** A request to a module; JSON bodies are given as they are. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Claims of the caller; `null`: no token. Default: an administrator. */
  readonly caller?: TestClaims | null;
  /** A token of its own, instead of `caller`. */
  readonly token?: string;
}

/** The answer of a module. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it was sent. */
  readonly text: string;
  /** The body as JSON; empty when it is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** `Set-Cookie` lines. */
  readonly cookies: readonly string[];
}

/** A module behind its pipeline. */
export interface ConnectedModule {
  call(request: ApiRequest): Promise<ApiAnswer>;
  /** Delivers messages as the queue of their group does. @returns ids of those that come back. */
  deliver(...envelopes: readonly MessageEnvelope[]): Promise<readonly string[]>;
  runTask(task: string, input?: unknown): Promise<unknown>;
}

/** Connects a module as its function does. A problem that the answering route does not declare fails the call. */
export function connect(factory: ModuleFactory<SvcConfig>, context: TestContext): ConnectedModule {
  let routes: readonly Route[] = [];
  const handler = connectModule((given) => {
    const module = factory(given);
    routes = module.routes;
    return module;
  }, context);
  const findUndeclared = undeclaredProblems(() => routes, context.log);
  return {
    async call({ caller = admin, token, body, headers = {}, ...request }) {
      const bearer = token ?? (caller ? await aToken(caller, context.clock.now()) : undefined);
      const isRaw = typeof body === 'string' || Buffer.isBuffer(body) || body === undefined;
      const event = apiEvent({
        ...request,
        headers: { ...(bearer ? { authorization: `Bearer ${bearer}` } : {}), ...headers },
        body: isRaw ? body : JSON.stringify(body),
      });
      const response = await handler(event, lambdaContext);
      const undeclared = findUndeclared();
      if (undeclared.length > 0) throw new Error(undeclared.join('\n'));
      return toAnswer(response as APIGatewayProxyStructuredResultV2);
    },
    async deliver(...envelopes) {
      const { listeners } = context.messaging;
      const Records = envelopes.map((envelope, index) => {
        const group = listeners.find(({ topic }) => topic === envelope.type)?.group ?? 'nobody';
        return {
          messageId: `queue-${index}`,
          receiptHandle: `receipt-${index}`,
          eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${queueName('svc', group)}`,
          body: JSON.stringify({ 'detail-type': envelope.type, detail: envelope }),
        };
      });
      const event = { Records } as unknown as Parameters<typeof handler>[0];
      const answer = (await handler(event, lambdaContext)) as SQSBatchResponse;
      return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
    runTask: (task, input) => handler({ task, input }, lambdaContext),
  };
}

function toAnswer(response: APIGatewayProxyStructuredResultV2): ApiAnswer {
  const { statusCode = 200, headers = {}, body = '', isBase64Encoded } = response;
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  const type = String(headers['content-type'] ?? '');
  return {
    status: statusCode,
    headers: headers as Record<string, string>,
    text,
    cookies: response.cookies ?? [],
    body: /^application\/(?:[\w.-]+\+)?json\b/.test(type) && text !== '' ? JSON.parse(text) : {},
  };
}
