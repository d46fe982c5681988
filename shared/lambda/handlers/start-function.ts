import type {
  APIGatewayProxyEventV2,
  Context,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import {
  type ConfigOf,
  type ConfigSection,
  checkConfig,
  commonSections,
  type PlatformConfig,
} from '../../config/index.ts';
import type { Host } from '../../host/host.ts';
import { clientAddress, gatewayUrl } from '../../http/request.ts';
import { createDispatcher, DISPATCH_TASK } from '../../messaging/consuming/dispatcher.ts';
import {
  flattenListeners,
  type Listener,
  refusePrivateExpressions,
} from '../../messaging/consuming/listener.ts';
import { goesOverBus } from '../../messaging/wire/topology.ts';
import { once } from '../../primitives/once.ts';
import { readTrace, runInContext } from '../../primitives/request-context.ts';
import { createContext } from '../create-context.ts';
import { isPlainHttp, readEnvironment } from '../environment.ts';
import type { createHttpPipeline } from '../http-pipeline.ts';
import type { Module, ModuleContext, ModuleFactory } from '../module-context.ts';
import { handleQueueBatch } from '../queue-batch.ts';

/** Event of a function: from the HTTP API, a queue, the table's stream, or naming a task. */
type FunctionEvent =
  | APIGatewayProxyEventV2
  | SQSEvent
  | DynamoDBStreamEvent
  | { readonly task?: string; readonly input?: unknown };

export type FunctionHandler = (event: FunctionEvent, context: Context) => Promise<unknown>;

/** How requests are answered: by a pipeline that is read with the start, or with the first request. */
export type Answering = typeof createHttpPipeline;

/**
 * Starts a module's function: reads the environment and builds the module, once per cold start. A wrong configuration
 * fails here, with a message that names the property.
 */
export function startFunction<T extends readonly ConfigSection[]>(
  factory: ModuleFactory<PlatformConfig & ConfigOf<T[number]>>,
  host: Host,
  sections: T,
  answering: Answering,
): FunctionHandler {
  const environment = readEnvironment<T[number]>(process.env, ...sections);
  const context = createContext(environment, host);
  logStart(context, sections, process.env.SVC_CONFIG);
  return connectEvents(factory, context, answering);
}

/** Logs the configuration once per cold start, without properties whose names end in secret. */
function logStart(
  { environment, config, log }: ModuleContext,
  sections: readonly ConfigSection[],
  differences = '{}',
): void {
  const { stage, version } = environment;
  const shown: unknown = JSON.parse(differences, (name, value) =>
    name.endsWith('secret') || name === 'jwks' ? undefined : value,
  );
  log.info('start', { stage, version, config: shown });
  for (const { code, property, message } of checkConfig(config, {
    sections: [...commonSections, ...sections],
    stage,
  })) {
    log.warn(`${property} ${message}`, { code });
  }
}

/** Connects a module to the events of its function. */
export function connectEvents<C extends PlatformConfig>(
  factory: ModuleFactory<C>,
  context: ModuleContext<C>,
  answering: Answering,
): FunctionHandler {
  const { messaging, refreshScope } = context;
  const module = factory(context);
  messaging.listen(listenersOf(module, context), module.settings);
  const dispatcher = createDispatcher(context);
  const tasks = { [DISPATCH_TASK]: dispatcher.runTask, ...module.tasks };
  const answer = answering(context, module);

  const start = once(async () => module.start?.());
  const dispatch = async (event: FunctionEvent, lambdaContext: Context): Promise<unknown> => {
    await start();
    await refreshScope.atInvocationStart();
    if ('requestContext' in event) return answer(event, lambdaContext);
    if ('Records' in event) return takeRecords(event.Records, module, context);
    return runTask(event, { ...module, tasks }, context);
  };
  return (payload, lambdaContext) => {
    const event = isObject(payload) ? payload : {};
    const isRequest = 'requestContext' in event;
    const facts = {
      ...readTrace(isRequest ? lowerCaseNames(event.headers) : {}, process.env._X_AMZN_TRACE_ID),
      ...(isRequest && {
        gatewayUrl: gatewayUrl(event, isPlainHttp(context)),
        clientAddress: clientAddress(event, context.environment.edgeSecret !== undefined),
        answerBy: context.tenantClock.machine.now() + GATEWAY_MS,
      }),
      deadline: deadlineOf(lambdaContext, context),
    };
    return runInContext(facts, () =>
      messaging.background.during(() => dispatch(event, lambdaContext)),
    );
  };
}

/** A direct invocation may hand over any JSON: `null`, a text, a number. */
function isObject(payload: unknown): payload is object {
  return typeof payload === 'object' && payload !== null;
}

/** With the in-process transport the host's listeners run in every function that publishes. */
function listenersOf(
  { listeners = [] }: Module,
  { config, host }: ModuleContext,
): readonly Listener[] {
  const ofHost = flattenListeners(host.listeners);
  refusePrivateExpressions(listeners.filter((listener) => !ofHost.includes(listener)));
  if (goesOverBus(config.mq)) return listeners;
  return [...new Set([...listeners, ...ofHost])];
}

async function takeRecords(
  records: readonly SQSRecord[] | readonly DynamoDBRecord[],
  { onStream, onQueue }: Module,
  { messaging, tenantClock: { machine: clock }, log }: ModuleContext,
): Promise<unknown> {
  if (isStream(records)) return onStream?.(records);
  const own = onQueue?.(records);
  return own ?? handleQueueBatch(records, messaging.listeners, { ...messaging, clock, log });
}

function isStream(
  records: readonly SQSRecord[] | readonly DynamoDBRecord[],
): records is readonly DynamoDBRecord[] {
  return records.some((record) => 'dynamodb' in record);
}

async function runTask(
  { task, input }: { readonly task?: string; readonly input?: unknown },
  { tasks = {}, defaultTask }: Module,
  { log }: ModuleContext,
): Promise<unknown> {
  const name = task ?? defaultTask;
  const run = name !== undefined && Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (!run) {
    log.error('The function has no such task', { task: name });
    throw new Error(`The function has no task ${String(name)}`);
  }
  const result = await run(input);
  log.info('task', { task: name });
  return result;
}

/** How long the gateway waits for an answer; functions with listeners run longer. */
const GATEWAY_MS = 29_000;

function deadlineOf(lambdaContext: Context, { tenantClock }: ModuleContext): number | undefined {
  const remainingMs = lambdaContext?.getRemainingTimeInMillis?.();
  return remainingMs === undefined ? undefined : tenantClock.machine.now() + remainingMs;
}

function lowerCaseNames(headers: Readonly<Record<string, string | undefined>> = {}) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
