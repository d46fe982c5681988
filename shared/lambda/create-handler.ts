import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { validateConfig } from '../config/index.ts';
import type { Host } from '../host/host.ts';
import { createContext } from './create-context.ts';
import { readEnvironment } from './environment.ts';
import { createHttpPipeline } from './http-pipeline.ts';
import type { ModuleContext, ModuleFactory } from './module-context.ts';
import { handleQueueBatch } from './queue-batch.ts';
import { readTrace, runInContext } from './request-context.ts';
import { createRequestMetrics } from './request-metrics.ts';

/** What wakes a function: the HTTP API, a queue, or a schedule or state machine naming a task. */
type FunctionEvent =
  | APIGatewayProxyEventV2
  | SQSEvent
  | { readonly task: string; readonly input?: unknown };

type FunctionHandler = (event: FunctionEvent, context: Context) => Promise<unknown>;

/**
 * The handler of a module's function. Reads the environment and builds the module once per cold start: a wrong
 * configuration fails there, with a message that names the property.
 */
export function createHandler(factory: ModuleFactory, host: Host): FunctionHandler {
  const environment = readEnvironment(process.env);
  const context = createContext(environment, host);
  logStart(context, process.env.SVC_CONFIG);
  return connectModule(factory, context);
}

/** Says once per cold start how the function is configured; names that end in secret are left out. */
function logStart({ environment, config, log }: ModuleContext, differences = '{}'): void {
  const { stage, version } = environment;
  const shown: unknown = JSON.parse(differences, (name, value) =>
    name.endsWith('secret') || name === 'jwks' ? undefined : value,
  );
  log.info('start', { stage, version, config: shown });
  for (const { code, property, message } of validateConfig(config, { stage })) {
    log.warn(`${property} ${message}`, { code });
  }
}

/** The same for a context that is there already: tests and benchmarks call it. */
export function connectModule(factory: ModuleFactory, context: ModuleContext): FunctionHandler {
  const { log, refreshScope } = context;
  const { routes, listeners = [], tasks = {} } = factory(context);
  const answer = createHttpPipeline(
    context,
    routes,
    createRequestMetrics(context.environment.module),
  );

  const dispatch = async (event: FunctionEvent, lambdaContext: Context): Promise<unknown> => {
    await refreshScope.atInvocationStart();
    if ('requestContext' in event) return answer(event, lambdaContext);
    if ('Records' in event) return handleQueueBatch(event.Records, listeners, log);
    const run = Object.hasOwn(tasks, event.task) ? tasks[event.task] : undefined;
    if (!run) throw new Error(`The function has no task ${String(event.task)}`);
    const result = await run(event.input);
    log.info('task', { task: event.task });
    return result;
  };
  return (event, lambdaContext) => {
    const headers = 'requestContext' in event ? lowerCaseNames(event.headers) : {};
    return runInContext(readTrace(headers, process.env._X_AMZN_TRACE_ID), () =>
      dispatch(event, lambdaContext),
    );
  };
}

function lowerCaseNames(headers: Readonly<Record<string, string | undefined>> = {}) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
