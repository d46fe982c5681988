import { randomUUID } from 'node:crypto';
import type { PlatformConfig } from '../config/index.ts';
import type { SettingService } from '../ports/settings.ts';
import type { Clock } from '../primitives/clock.ts';
import type { IdGenerator } from '../primitives/ids.ts';
import type { Log } from '../primitives/log.ts';
import { once } from '../primitives/once.ts';
import type { ItemWriter } from '../store/item-writer.ts';
import type { Table } from '../store/table.ts';
import type { RunUnitOfWork } from '../store/unit-of-work.ts';
import { Consumer } from './consuming/consumer.ts';
import { InOrder } from './consuming/in-order.ts';
import { flattenListeners, type Listener } from './consuming/listener.ts';
import type { ListenerTools } from './consuming/run-listener.ts';
import { Tracking } from './consuming/tracking.ts';
import type { Bus } from './outbox/bus.ts';
import { Lanes } from './outbox/lanes.ts';
import { Outbox } from './outbox/outbox.ts';
import { outboxKeys } from './outbox/outbox-row.ts';
import { createSender, type MessageSender, SENDING_MS } from './outbox/sender.ts';
import { WaitingBodies } from './outbox/waiting-bodies.ts';
import type { BackgroundWork } from './publishing/background-work.ts';
import { BrokerPublisher } from './publishing/broker-publisher.ts';
import { createDirectPublisher } from './publishing/direct-publisher.ts';
import { LocalPublisher } from './publishing/local-publisher.ts';
import {
  createRoutingPublisher,
  createSwitchedOffPublisher,
} from './publishing/routing-publisher.ts';
import { AnsweringTime } from './wire/answering-time.ts';
import type { EventPublisher } from './wire/event-publisher.ts';
import { createMessagingMetrics, type MessagingMetrics } from './wire/messaging-metrics.ts';
import { createPayloadStore, type PayloadStore } from './wire/payload-store.ts';
import { createQueues, type Queues } from './wire/queues.ts';
import { type MessagingTopology, receivesBeforeDead } from './wire/topology.ts';

/** The messaging of one function. */
export interface Messaging {
  readonly events: EventPublisher;
  readonly broker: BrokerPublisher;
  readonly outbox: Outbox;
  readonly sender: MessageSender;
  readonly tracking: Tracking;
  readonly lanes: Lanes;
  readonly bodies: WaitingBodies;
  readonly consumer: Consumer;
  readonly inOrder: InOrder;
  /** Limits what the burial of messages takes. */
  readonly burial: AnsweringTime;
  /** How often a queue delivers what has no listener before it is a dead letter. */
  readonly maxReceives: number;
  readonly payloads: PayloadStore;
  readonly queues: Queues;
  readonly background: BackgroundWork;
  readonly metrics: MessagingMetrics;
  readonly writer: ItemWriter;
  readonly topology: MessagingTopology;
  readonly tools: () => ListenerTools;
  /** The listeners of this function. */
  readonly listeners: readonly Listener[];
  /** Registers the listeners of the function, once. @throws MessagingError `MQ_LISTENER_TWICE` */
  listen(listeners: readonly Listener[], settings?: SettingService): void;
}

export interface MessagingDependencies {
  readonly module: string;
  readonly config: PlatformConfig;
  readonly table: Table;
  readonly writer: ItemWriter;
  readonly unitOfWork: RunUnitOfWork;
  readonly background: BackgroundWork;
  readonly bus: Bus;
  readonly busName: string;
  readonly bucketName: string;
  readonly topology: MessagingTopology;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
  /** Replacements for tests. */
  readonly payloads?: PayloadStore;
  readonly queues?: Queues;
  readonly metrics?: MessagingMetrics;
  readonly sendingMs?: number;
  readonly burialMs?: number;
}

/** How long a caller waits for the bucket at most (ms). */
const BUCKET_MS = 5_000;
/** How long the burial of a message takes at most, with its body (ms). */
const BURIAL_MS = 8_000;

/** Creates the messaging of a function from the configuration. */
export function createMessaging(dependencies: MessagingDependencies): Messaging {
  const { config, topology, clock, ids, log, unitOfWork, writer, background } = dependencies;
  const { mq } = config;
  const appCode = mq.appCode ?? 'app';
  const payloads =
    dependencies.payloads ??
    createPayloadStore(dependencies.bucketName, {
      time: new AnsweringTime(clock, BUCKET_MS),
    });
  const queues = dependencies.queues ?? createQueues();
  const metrics = dependencies.metrics ?? createMessagingMetrics(dependencies.module);
  const { outbox, tracking, lanes } = createStores(dependencies, payloads);
  // A cycle of dependencies: a listener may publish, and the in-process publisher runs listeners.
  const tools = (): ListenerTools => ({
    events,
    brokerClients,
    settings,
    items: dependencies.table,
  });
  const { orderedTopics } = topology;
  const sender = createSender({
    client: dependencies.bus,
    busName: dependencies.busName,
    queues,
    orderedTopics,
  });
  const burial = new AnsweringTime(clock, dependencies.burialMs ?? BURIAL_MS);
  const consumer = new Consumer({
    ...{ burial, tracking, payloads, unitOfWork, clock, log, tools },
    isIdempotent: mq.idempotent.enabled,
    maxRetries: mq.idempotent.maxRetries,
  });
  const inOrder = new InOrder({
    ...{ consumer, outbox, lanes, writer, payloads, appCode, clock, ids, log },
    isRelayEnabled: mq.relay.enabled,
  });
  const sendingTime = new AnsweringTime(clock, dependencies.sendingMs ?? SENDING_MS);
  const broker = new BrokerPublisher({
    sendingTime,
    ...{ outbox, sender, payloads, unitOfWork, orderedTopics, metrics, appCode, clock, ids, log },
    inlineLimit: mq.payloadInlineLimit,
    isRelayEnabled: mq.relay.enabled,
  });

  let listeners: readonly Listener[] = [];
  let settings: SettingService = noSettings;
  const local = new LocalPublisher({
    ...{ background, unitOfWork, appCode, ids, metrics, log, tools },
    listeners: () => listeners,
  });
  const direct = createDirectPublisher({
    sender,
    sendingTime,
    background,
    appCode,
    clock,
    ids,
    log,
  });
  const events = chooseWays(mq, { broker, local, direct }, dependencies);
  const brokerClients = once(async () =>
    (await import('./publishing/broker-clients.ts')).createBrokerClients(
      mq.enabled && mq.brokerTemplateProxyEnabled ? broker : undefined,
    ),
  );
  return {
    events,
    tools,
    bodies: new WaitingBodies({
      ...{ outbox, payloads, writer, clock, log },
      copyingMs: dependencies.sendingMs,
    }),
    ...{ broker, outbox, sender, tracking, lanes, consumer, inOrder, payloads, queues, background },
    maxReceives: receivesBeforeDead(mq.idempotent.maxRetries),
    ...{ burial, metrics, writer, topology },
    get listeners() {
      return listeners;
    },
    listen(all, own = noSettings) {
      listeners = flattenListeners(all);
      settings = own;
    },
  };
}

/** Settings of a function whose module offers none. */
const noSettings: SettingService = {
  getValue() {
    throw new Error('This function has no settings: its module must return `settings`.');
  },
};

function createStores(
  { config: { mq }, table, writer, unitOfWork, clock, topology }: MessagingDependencies,
  payloads: PayloadStore,
): Pick<Messaging, 'outbox' | 'tracking' | 'lanes'> {
  const keys = outboxKeys(mq.messageTable, mq.shards);
  const lanes = new Lanes({ table, writer, trackingTable: mq.messageTrackingTable });
  return {
    lanes,
    outbox: new Outbox({
      ...{ table, writer, unitOfWork, payloads, clock, keys, lanes },
      orderedTopics: topology.orderedTopics,
      sentRetentionMs: mq.sentRetention,
      maxRetries: mq.relay.maxRetries,
      maxRetryDelayMs: mq.relay.maxRetryDelay,
      random: Math.random,
    }),
    tracking: new Tracking({
      ...{ table, writer, payloads, clock },
      newOwner: randomUUID,
      tableName: mq.messageTrackingTable,
      deadPartition: keys.deadPartition,
      retentionMs: mq.trackingRetention,
    }),
  };
}

interface Publishers {
  readonly broker: EventPublisher;
  readonly local: EventPublisher;
  readonly direct: EventPublisher;
}

function chooseWays(
  mq: PlatformConfig['mq'],
  { broker, local, direct }: Publishers,
  { topology, ...tools }: Pick<MessagingDependencies, 'ids' | 'log' | 'topology'>,
): EventPublisher {
  const { distributedTopics, inProcessTopics } = topology;
  if (!mq.enabled) {
    const others = createSwitchedOffPublisher(local, inProcessTopics, tools);
    return createRoutingPublisher({ distributed: direct, others }, distributedTopics);
  }
  if (mq.transport === 'broker') return broker;
  return createRoutingPublisher({ distributed: broker, others: local }, distributedTopics);
}
