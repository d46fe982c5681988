import type { Module, ModuleContext } from '../../shared/lambda/module-context.ts';
import { createDispatcher, type Dispatcher } from '../../shared/messaging/consuming/dispatcher.ts';
import {
  flattenListeners,
  type ReadingListener,
  withExpression,
} from '../../shared/messaging/consuming/listener.ts';
import {
  identifyQueue,
  type MessagingTopology,
  OWN_FUNCTION,
} from '../../shared/messaging/wire/topology.ts';
import { bindPort } from '../../shared/module/bind-port.ts';
import { settingValuesPort } from '../settings/port.ts';
import { lambdaListenerFunctions } from './adapters/lambda-listener-functions.ts';
import { DeadLetterService } from './dead-letters/dead-letter-service.ts';
import { DrainService } from './dead-letters/drain-service.ts';
import { DispatchService, type ListenerFunctions } from './dispatch-service.ts';
import { LayoutService } from './layout-service.ts';
import { RELAY_TASK, TICK_TASK } from './listeners.ts';
import { RelayService } from './relay/relay-service.ts';
import { messagingRoutes } from './routes.ts';
import { DeadLetterRepository } from './store/dead-letter-repository.ts';
import { LayoutRepository } from './store/layout-repository.ts';
import { RelayRepository } from './store/relay-repository.ts';
import { refsInStream } from './stream-rows.ts';
import { TickService } from './tick-service.ts';

/** The messaging module and its services, for in-process use. */
export interface MessagingModule extends Module {
  readonly services: {
    readonly deadLetterService: DeadLetterService;
    readonly dispatchService: DispatchService;
  };
}

/** Builds the messaging module (svc-cloud-mq): dead letters, dispatch and the host's listeners. */
export function createMessagingModule(
  context: ModuleContext,
  functions: ListenerFunctions = lambdaListenerFunctions(),
): MessagingModule {
  const { config, messaging } = context;
  const appCode = config.mq.appCode ?? 'app';
  const deadLetterService = new DeadLetterService({
    ...context,
    ...messaging,
    clock: context.tenantClock.machine,
    repository: deadLetters(context),
    appCode,
  });
  const { listeners } = messaging.topology;
  const dispatchService = new DispatchService({
    ...{ ...context, listeners, appCode },
    functions: includingOwn(functions, createDispatcher(context)),
  });
  return {
    services: { deadLetterService, dispatchService },
    start: () => layoutService(context).check(),
    settings: bindPort(settingValuesPort, context).use(),
    routes: messagingRoutes({ deadLetterService, dispatchService }, config),
    listeners: flattenListeners(context.host.listeners),
  };
}

/** The relay's function and its services, for in-process use. */
export interface RelayModule extends Module {
  readonly services: { readonly relayService: RelayService; readonly tickService: TickService };
}

/** Builds the relay: it sends what is due, splits minutes into ticks and drains dead-letter queues. */
export function createRelayModule(context: ModuleContext): RelayModule {
  const { messaging, table, log } = context;
  const { writer, outbox } = messaging;
  const clock = context.tenantClock.machine;
  const config = context.config.mq.relay;
  const { tickQueue } = messaging.topology;
  const relayService = new RelayService({
    ...{ ...messaging, clock, log, config },
    repository: new RelayRepository({ table, writer, keys: outbox.keys, clock }),
    deadLetters: deadLetters(context),
  });
  const tickService = new TickService({ ...messaging, tickQueue, clock, config });
  const drainService = new DrainService({
    ...{ ...messaging, clock, log, ids: context.ids },
    listeners: [
      ...flattenListeners(context.host.listeners),
      ...declaredListeners(messaging.topology),
    ],
    maxRetries: context.config.mq.idempotent.maxRetries,
  });
  return {
    services: { relayService, tickService },
    start: () => layoutService(context).check(),
    routes: [],
    defaultTask: RELAY_TASK,
    tasks: { [RELAY_TASK]: () => relayService.run(), [TICK_TASK]: () => tickService.sendTicks() },
    async onStream(records) {
      // Do not block the stream: failed rows stay due, and the schedule sends them.
      await relayService
        .sendNow(refsInStream(records))
        .catch((cause: unknown) => log.error('New messages could not be sent at once', { cause }));
    },
    onQueue(records) {
      const isDead = records.every((record) => identifyQueue(record.eventSourceARN).isDead);
      return isDead
        ? drainService.drain(records)
        : relayService.run().then(() => ({ batchItemFailures: [] }));
    },
  };
}

/** The listeners of modules that identify messages by an expression. */
const declaredListeners = ({ expressions = {} }: MessagingTopology): readonly ReadingListener[] =>
  Object.entries(expressions).flatMap(([topic, byGroup]) =>
    Object.entries(byGroup).map(([group, messageIdFrom]) =>
      withExpression({ topic, group, messageIdFrom }),
    ),
  );

/** Runs the function's own listeners directly, without invoking itself. */
function includingOwn(others: ListenerFunctions, own: Dispatcher): ListenerFunctions {
  return {
    dispatch: (name, message) =>
      name === OWN_FUNCTION ? own.runTask(message) : others.dispatch(name, message),
  };
}

function deadLetters({ table, messaging }: ModuleContext): DeadLetterRepository {
  return new DeadLetterRepository({ table, keys: messaging.outbox.keys });
}

function layoutService({ config, table, tenantClock, messaging }: ModuleContext): LayoutService {
  const { messageTable, schemaUpdateEnabled: isOn } = config.mq;
  const { writer } = messaging;
  const clock = tenantClock.machine;
  return new LayoutService({
    repository: new LayoutRepository({ table, writer, clock, messageTable }),
    isOn,
  });
}
