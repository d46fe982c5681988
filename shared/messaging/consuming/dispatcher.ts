import * as z from 'zod';
import type { Clock } from '../../primitives/clock.ts';
import { lazy } from '../../primitives/lazy.ts';
import type { Log } from '../../primitives/log.ts';
import { readTrace, requestContext, runInContext } from '../../primitives/request-context.ts';
import { notExists } from '../../store/conditions.ts';
import type { Table } from '../../store/table.ts';
import { apart, type RunUnitOfWork } from '../../store/unit-of-work.ts';
import type { Message } from '../wire/event-publisher.ts';
import {
  type KeptError,
  keptError,
  MessagingError,
  NonRetryableError,
} from '../wire/messaging-error.ts';
import type { Listener } from './listener.ts';
import { MESSAGE_ID_FAILED, messageFor } from './read-message.ts';
import { earlierReceivedKey, receivedKey, receivedRow } from './received-row.ts';
import { type ListenerTools, runListener } from './run-listener.ts';

/** Task that makes a function run its listeners of a topic at once. */
export const DISPATCH_TASK = 'messaging.dispatch';

/** Result of a dispatched message in one group. */
export interface DispatchResult {
  readonly group: string;
  /** `REFUSED`: the message is not valid for the listener; `FAILED`: the listener threw, and may be called again. */
  readonly status: 'PROCESSED' | 'DUPLICATE' | 'REFUSED' | 'FAILED';
  readonly error?: KeptError;
}

/**
 * Runs listeners of one function synchronously, once for each message and group. Each commits by itself, also inside a
 * unit of work of the caller: a result says what is stored.
 */
export interface Dispatcher {
  dispatch(message: Message): Promise<readonly DispatchResult[]>;
  /** Runs them on behalf of another function. */
  runTask(input: unknown): Promise<readonly DispatchResult[]>;
}

export interface DispatcherDependencies {
  readonly messaging: {
    readonly listeners: readonly Listener[];
    readonly tools: () => ListenerTools;
  };
  readonly config: { readonly mq: { readonly trackingRetention: number } };
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
}

const messageSchema = lazy(() =>
  z.object({
    messageId: z.string(),
    topic: z.string(),
    key: z.string().nullable(),
    payload: z.unknown(),
    headers: z.record(z.string(), z.string()),
    source: z.string(),
    traceId: z.string(),
    traceparent: z.string().optional(),
  }),
);

/** The dispatcher of one function. */
export function createDispatcher(dependencies: DispatcherDependencies): Dispatcher {
  const dispatch = async (message: Message): Promise<readonly DispatchResult[]> => {
    const results: DispatchResult[] = [];
    for (const listener of dependencies.messaging.listeners) {
      if (listener.topic === message.topic)
        results.push(await apart(() => hand(listener, message, dependencies)));
    }
    return results;
  };
  return {
    dispatch,
    async runTask(input) {
      const { traceparent, ...message } = messageSchema().parse(input);
      const trace = readTrace({ traceparent, 'x-trace-id': message.traceId }, undefined);
      const { deadline } = requestContext();
      return runInContext({ ...trace, deadline }, () => dispatch(message));
    },
  };
}

class ReceivedBeforeError extends Error {}

async function hand(
  listener: Listener,
  message: Message,
  dependencies: DispatcherDependencies,
): Promise<DispatchResult> {
  const { group } = listener;
  try {
    const own = messageFor(listener, message);
    return { group, status: await runOnce(listener, own, dependencies) };
  } catch (cause) {
    const { topic, messageId } = message;
    dependencies.log.error('A listener failed on a dispatched message', {
      topic,
      group,
      messageId,
      cause,
    });
    return { group, status: isRefusal(cause) ? 'REFUSED' : 'FAILED', error: keptError(cause) };
  }
}

/** @throws what the listener or its commit throws, unless its group has received the message meanwhile. */
async function runOnce(
  listener: Listener,
  own: Message,
  { messaging, config, table, unitOfWork, clock, log }: DispatcherDependencies,
): Promise<'PROCESSED' | 'DUPLICATE'> {
  const { group } = listener;
  const keys = [receivedKey(group, own), earlierReceivedKey(group, own)];
  const wasReceived = async () =>
    (await Promise.all(keys.map((key) => table.get(key)))).some(Boolean);
  if (await wasReceived()) return 'DUPLICATE';
  try {
    await unitOfWork(async (uow) => {
      // Before the writes of the listener: of several conditions that do not hold the first one counts.
      uow.put(
        receivedRow(group, own, { now: clock.now(), retentionMs: config.mq.trackingRetention }),
        {
          condition: notExists,
          otherwise: () => new ReceivedBeforeError(),
        },
      );
      await runListener(listener, own, { uow, attempt: 1 }, messaging.tools());
    });
  } catch (cause) {
    // A listener that finds its own work done may say so in any way.
    if (cause instanceof ReceivedBeforeError || (await wasReceived().catch(() => false)))
      return 'DUPLICATE';
    throw cause;
  }
  log.info('message', { topic: own.topic, group, messageId: own.messageId, dispatched: true });
  return 'PROCESSED';
}

/** Whether the message is not valid for the listener: it says so, or its messageId expression cannot work with it. */
const isRefusal = (cause: unknown): boolean =>
  cause instanceof NonRetryableError ||
  (cause instanceof MessagingError && cause.code === MESSAGE_ID_FAILED);
