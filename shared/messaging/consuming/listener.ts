import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type * as z from 'zod';
import type { SettingService } from '../../ports/settings.ts';
import type { Table } from '../../store/table.ts';
import type { UnitOfWork } from '../../store/unit-of-work.ts';
import type { EventPublisher, Message } from '../wire/event-publisher.ts';
import { MessagingError } from '../wire/messaging-error.ts';
import { GROUP_PATTERN, type WrittenExpression } from '../wire/topology.ts';
import { compileExpression, type Evaluate, type MessageExpression } from './expression.ts';

/**
 * A consumer group on a topic, read by infrastructure and code: rule, queue, dead-letter queue
 * and event source follow from this declaration.
 */
export interface ListenerDeclaration {
  readonly topic: string;
  /** Consumer group; each group gets every message once. Letters, digits, - and _, at most 40. */
  readonly group: string;
  /** Messages per invocation (1 to 10 without a window); default 10. */
  readonly batchSize?: number | undefined;
  /** Parallel invocations (2 to 1000); default: as many as the account allows. */
  readonly maxConcurrency?: number | undefined;
  /** Longest run of one batch; default: the time-out of the module's function. */
  readonly timeoutSeconds?: number | undefined;
  /** Whether messages of one key arrive in the order of their commits; goes for all groups of the topic. */
  readonly ordered?: boolean | undefined;
  /** On an ordered topic: whether later messages of a key are sent after a dead one; default `continue`. */
  readonly onDead?: 'continue' | 'block' | undefined;
  /**
   * Whether writes through `uow` and messages through `events` are all that the listener does. A first delivery then
   * takes one request: it is not claimed beforehand, and two of them at once may both call the listener, of which one
   * has effects. Default: false.
   */
  readonly transactional?: boolean | undefined;
  /**
   * Expression of the idempotency key of a module's listener; default: the messageId of the publisher. It is a text,
   * because the relay, which has no code of modules, evaluates it as well.
   */
  readonly messageIdFrom?: WrittenExpression | undefined;
}

/** AWS clients of the broker for code that sends directly. */
export interface BrokerClients {
  readonly eventBridge: EventBridgeClient;
  readonly sqs: SQSClient;
}

/** Second argument of a listener. */
export interface ListenerContext {
  /** The transaction that also marks the message as processed: its writes happen exactly once. */
  readonly uow: UnitOfWork;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** The trace of the publishing request, or the value of the listener's `traceId` expression. */
  readonly traceId: string;
  /** Publishes in the same transaction. */
  readonly events: EventPublisher;
  /** Clients of the broker; with `svc.mq.broker-template-proxy-enabled` their sends go through the outbox. */
  readonly brokerClients: () => Promise<BrokerClients>;
  /** Settings by name; values follow refreshes. */
  readonly settings: SettingService;
  /** Reads items of the table. A host reads its own, below `HOST#`. */
  readonly items: Table;
}

/** Handles a message; when it throws, the message is redelivered. */
export type HandleMessage<T = unknown> = (
  message: Message<T>,
  context: ListenerContext,
) => Promise<void>;

/** A listener: declaration and handler. */
export interface Listener extends ListenerDeclaration {
  readonly handle: HandleMessage;
  /** Maps an error of the handler or of its commit to the one that decides about the message; default: the error itself. */
  readonly judge?: (cause: unknown) => Promise<unknown>;
  /** Expression of the idempotency key; default: the messageId of the publisher. */
  readonly messageId?: Evaluate<unknown>;
  readonly traceId?: Evaluate<unknown>;
  /** Schema of the payload; an invalid message is dead at once. */
  readonly schema?: z.ZodType;
}

/** Members of a listener that decide how a message is read and identified. */
export type ReadingListener = Omit<Listener, 'handle'>;

/** Options of `brokerListener`. */
export interface BrokerListenerOptions<T>
  extends Omit<ListenerDeclaration, 'topic' | 'group' | 'messageIdFrom'> {
  readonly topics: string | readonly string[];
  readonly groupId: string;
  /** Expression of the idempotency key; required. */
  readonly messageId: MessageExpression<T>;
  readonly traceId?: MessageExpression<T>;
  readonly schema?: z.ZodType<T>;
}

/** Options of `messageListener`. */
export interface MessageListenerOptions<T> extends Omit<ListenerDeclaration, 'messageIdFrom'> {
  readonly schema?: z.ZodType<T>;
}

/**
 * Listens to a topic on either transport. On the broker a message is processed once for each messageId of its
 * publisher.
 * @throws MessagingError `MQ_LISTENER_INVALID`
 */
export function messageListener<T = unknown>(
  options: MessageListenerOptions<T>,
  handle: HandleMessage<T>,
): Listener {
  return check({ ...options, handle: handle as HandleMessage });
}

/**
 * Listens to topics of the broker and processes a message once for each messageId that the expression finds.
 * @throws MessagingError `MQ_LISTENER_MESSAGE_ID_REQUIRED`, `MQ_EXPRESSION_INVALID`, `MQ_LISTENER_INVALID`
 */
export function brokerListener<T = unknown>(
  { topics, groupId, messageId, traceId, ...options }: BrokerListenerOptions<T>,
  handle: HandleMessage<T>,
): readonly Listener[] {
  if (!messageId) {
    throw new MessagingError(
      'MQ_LISTENER_MESSAGE_ID_REQUIRED',
      `The broker listener of group "${groupId}" names no messageId`,
    );
  }
  const all = [topics].flat();
  if (all.length === 0) {
    throw new MessagingError(
      'MQ_LISTENER_INVALID',
      `The broker listener of group "${groupId}" names no topic`,
    );
  }
  return all.map((topic) =>
    check({
      ...options,
      topic,
      group: groupId,
      handle: handle as HandleMessage,
      messageId: compileExpression(messageId) as Evaluate<unknown>,
      ...(traceId ? { traceId: compileExpression(traceId) as Evaluate<unknown> } : {}),
    }),
  );
}

/** Listeners as a host lists them: `brokerListener` returns one for each topic. */
export type ListenerList = readonly (Listener | readonly Listener[])[];

/**
 * All listeners of a list.
 * @throws MessagingError `MQ_LISTENER_TWICE` when two share topic and group.
 */
export function flattenListeners(list: ListenerList = []): readonly Listener[] {
  return refuseTwins((list.flat() as Listener[]).map(withExpression));
}

/** The listener with its declared expression ready for use. @throws MessagingError `MQ_EXPRESSION_INVALID` */
export const withExpression = <L extends ReadingListener>(listener: L): L =>
  listener.messageIdFrom
    ? { ...listener, messageId: compileExpression(listener.messageIdFrom) }
    : listener;

/** Whether a listener identifies messages by code that only its own function has. */
const isPrivate = ({ messageId, messageIdFrom }: Listener): boolean =>
  messageId !== undefined && messageIdFrom === undefined;

/** @throws MessagingError `MQ_LISTENER_INVALID` when a listener of a module has an expression that it does not declare. */
export function refusePrivateExpressions(listeners: readonly Listener[]): void {
  const found = listeners.find(isPrivate);
  if (!found) return;
  throw new MessagingError(
    'MQ_LISTENER_INVALID',
    `The listener of group "${found.group}" identifies messages by a function; declare messageIdFrom`,
  );
}

/** @throws MessagingError `MQ_LISTENER_TWICE` when two share topic and group. */
export function refuseTwins<L extends ListenerDeclaration>(listeners: readonly L[]): readonly L[] {
  const seen = new Set<string>();
  for (const { topic, group } of listeners) {
    if (seen.has(`${group}#${topic}`)) {
      throw new MessagingError(
        'MQ_LISTENER_TWICE',
        `Two listeners share topic "${topic}" and group "${group}"; give one another group.`,
      );
    }
    seen.add(`${group}#${topic}`);
  }
  return listeners;
}

function check(listener: Listener): Listener {
  const { topic, group } = listener;
  if (typeof topic === 'string' && topic !== '' && topic.length <= 128 && isGroup(group)) {
    return listener;
  }
  throw new MessagingError(
    'MQ_LISTENER_INVALID',
    `A listener needs a topic and a group of 1 to 40 letters, digits, - and _ ("${topic}", "${group}")`,
  );
}

const isGroup = (group: unknown): boolean =>
  typeof group === 'string' && GROUP_PATTERN.test(group) && !group.endsWith('-dead');
