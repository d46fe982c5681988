import { createMessagingModule, createRelayModule } from '../../../functions/messaging/module.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import { defineHost } from '../../../shared/host/host.ts';
import type { ListenerList } from '../../../shared/messaging/consuming/listener.ts';
import type { TrackingRow } from '../../../shared/messaging/consuming/tracking-row.ts';
import type { OutboxRow } from '../../../shared/messaging/outbox/outbox-row.ts';
import type { MessageEnvelope } from '../../../shared/messaging/wire/envelope.ts';
import {
  aContext,
  type ConnectedModule,
  type ContextOptions,
  connect,
  type TestContext,
} from '../../helpers/world/a-context.ts';

/** A shop that uses messaging, and what a test looks at. */
export interface Shop {
  readonly context: TestContext;
  readonly messaging: ConnectedModule;
  readonly relay: ConnectedModule;
  row(id: string): OutboxRow | undefined;
  rows(): OutboxRow[];
  tracking(group: string, messageId: string): TrackingRow | undefined;
}

/** What differs from the usual shop. */
export interface ShopOptions {
  readonly mq?: Readonly<Record<string, unknown>>;
  readonly listeners?: ListenerList;
  readonly topology?: ContextOptions['topology'];
  readonly sendingMs?: number;
  readonly bucketMs?: number;
  readonly burialMs?: number;
  /** The deployment before: the shop has its table, bus, queues, clock and ids. */
  readonly before?: Shop;
}

/** Builds a shop with the broker, relay and dispatch. */
export function aShop({
  mq = {},
  listeners = [],
  topology = {},
  sendingMs,
  bucketMs,
  burialMs,
  before,
}: ShopOptions = {}): Shop {
  const context = aContext({
    module: 'messaging',
    host: defineHost({ permissionEvaluator: claimsPermissionEvaluator, listeners }),
    svc: {
      mq: {
        transport: 'broker',
        'app-code': 'shop',
        relay: { enabled: true },
        'broker-restful-enabled': true,
        ...mq,
      },
    },
    topology,
    ...(sendingMs === undefined ? {} : { sendingMs }),
    ...(bucketMs === undefined ? {} : { bucketMs }),
    ...(burialMs === undefined ? {} : { burialMs }),
    ...(before ? { besides: before.context } : {}),
  });
  const messaging = connect(createMessagingModule, context);
  const besides = aContext({
    module: 'messaging-relay',
    svc: {
      mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true }, ...mq },
    },
    topology,
    besides: context,
    ...(sendingMs === undefined ? {} : { sendingMs }),
  });
  const items = () => [...context.db.items()];
  return {
    context,
    messaging,
    relay: connect(createRelayModule, besides),
    row: (id) => items().find(({ pk }) => pk === `message#${id}`) as OutboxRow | undefined,
    rows: () =>
      items().filter(({ type, sk }) => type === 'message' && sk === 'message') as OutboxRow[],
    tracking: (group, messageId) =>
      items().find(
        (item) =>
          item.type === 'message_tracking' && item.group === group && item.messageId === messageId,
      ) as TrackingRow | undefined,
  };
}

let count = 0;

/** A message as the bus carries it. */
export function anEnvelope(overrides: Partial<MessageEnvelope> = {}): MessageEnvelope {
  count += 1;
  return {
    specversion: '1.0',
    id: `message-${count}`,
    source: '/svc/shop',
    type: 'order.placed',
    subject: 'A-1',
    time: '2026-03-01T09:00:00.000Z',
    datacontenttype: 'application/json',
    traceid: 'trace-of-the-publisher',
    data: { total: 42 },
    ...overrides,
  };
}

/** A shop whose relay gives up at once. */
export const aGrumpyShop = (options: ShopOptions = {}): Shop =>
  aShop({
    ...options,
    mq: {
      relay: { enabled: true, 'max-retries': 0 },
      idempotent: { 'max-retries': 0 },
      ...options.mq,
    },
  });

/** Publishes messages that cannot be sent. @returns their ids. */
export async function deadLetters(
  shop: Shop,
  count: number,
  topic = 'order.placed',
): Promise<string[]> {
  shop.context.bus.mode = 'down';
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    shop.context.clock.advance(1_000);
    ids.push((await shop.context.events.publish(topic, `A-${i}`, { i })).messageId);
  }
  shop.context.bus.mode = 'up';
  return ids;
}
