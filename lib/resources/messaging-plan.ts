import type { PlatformConfig } from '../../shared/config/index.ts';
import { compileExpression } from '../../shared/messaging/consuming/expression.ts';
import {
  type ListenerDeclaration,
  refuseTwins,
} from '../../shared/messaging/consuming/listener.ts';
import { MessagingError } from '../../shared/messaging/wire/messaging-error.ts';
import {
  type Expressions,
  goesOverBus,
  type MessagingTopology,
  queueName,
  type WrittenExpression,
} from '../../shared/messaging/wire/topology.ts';

/** The listeners that one function runs. */
export interface FunctionListeners {
  /** Name of the function in the stack. */
  readonly owner: string;
  readonly listeners: readonly ListenerDeclaration[];
}

/** One queue of a consumer group, standard or FIFO. */
export interface PlannedQueue {
  readonly owner: string;
  readonly group: string;
  readonly isOrdered: boolean;
  readonly name: string;
  readonly listeners: readonly ListenerDeclaration[];
}

/** Queues and their listeners, computed before any resource is created. */
export interface MessagingPlan {
  readonly queues: readonly PlannedQueue[];
  readonly orderedTopics: MessagingTopology['orderedTopics'];
  /** Expressions that the relay has to know. */
  readonly expressions: Expressions;
}

/**
 * Plans the queues: one for each consumer group, and a second for its ordered topics. In process
 * only the always-distributed topics have queues.
 * @param prefix beginning of all queue names.
 * @param distributedTopics topics that always use the bus.
 * @throws MessagingError `MQ_LISTENER_TWICE`; `MQ_EXPRESSION_INVALID`; `MQ_GROUP_SHARED` when two functions declare the same group.
 */
export function planMessaging(
  functions: readonly FunctionListeners[],
  { mq }: PlatformConfig,
  prefix: string,
  distributedTopics: readonly string[] = [],
): MessagingPlan {
  const entries = functions.flatMap(({ owner, listeners }) =>
    listeners.map((listener) => ({ owner, listener })),
  );
  refuseTwins(entries.map(({ listener }) => listener));
  refuseSharedGroups(entries);
  const onBus = entries.filter(
    ({ listener: { topic } }) => goesOverBus(mq) || distributedTopics.includes(topic),
  );
  const ordered = new Set(onBus.flatMap(({ listener: l }) => (l.ordered ? [l.topic] : [])));
  const byQueue = Map.groupBy(onBus, ({ listener: { topic, group } }) =>
    queueName(prefix, group, { isOrdered: ordered.has(topic) }),
  );
  const queues = [...byQueue].map(([name, all]) => ({
    name,
    owner: all[0]?.owner ?? '',
    group: all[0]?.listener.group ?? '',
    isOrdered: name.endsWith('.fifo'),
    listeners: all.map(({ listener }) => listener),
  }));
  return { queues, orderedTopics: orderedTopicsOf(queues), expressions: expressionsOf(onBus) };
}

/** @throws MessagingError `MQ_EXPRESSION_INVALID` */
function expressionsOf(
  entries: readonly { readonly listener: ListenerDeclaration }[],
): Expressions {
  const expressions: Record<string, Record<string, WrittenExpression>> = {};
  for (const { listener } of entries) {
    const { topic, group, messageIdFrom } = listener;
    if (messageIdFrom === undefined) continue;
    compileExpression(messageIdFrom);
    expressions[topic] = { ...expressions[topic], [group]: messageIdFrom };
  }
  return expressions;
}

function orderedTopicsOf(queues: readonly PlannedQueue[]): MessagingTopology['orderedTopics'] {
  const entries = queues
    .filter(({ isOrdered }) => isOrdered)
    .flatMap(({ name, listeners }) => listeners.map((listener) => ({ name, listener })));
  const byTopic = Map.groupBy(entries, ({ listener }) => listener.topic);
  return Object.fromEntries(
    [...byTopic].map(([topic, all]) => [
      topic,
      {
        queues: all.map(({ name }) => name),
        onDead: all.some(({ listener }) => listener.onDead === 'block') ? 'block' : 'continue',
      },
    ]),
  );
}

function refuseSharedGroups(
  entries: readonly { readonly owner: string; readonly listener: ListenerDeclaration }[],
): void {
  for (const [group, all] of Map.groupBy(entries, ({ listener }) => listener.group)) {
    const owners = new Set(all.map(({ owner }) => owner));
    if (owners.size > 1) {
      throw new MessagingError(
        'MQ_GROUP_SHARED',
        `The functions ${[...owners].join(' and ')} share the consumer group "${group}"; give one another group`,
      );
    }
  }
}
