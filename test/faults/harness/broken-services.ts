import {
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

/** What goes wrong with the services that a process calls; each is a share of the calls, from 0 to 1. */
export interface ServiceFaults {
  /** Any call to the table: it is throttled, meets a transaction, or its answer is lost after the work is done. */
  readonly table?: number;
  /** A query of an index answers what it has answered before. */
  readonly lag?: number;
  /** A send to the bus or to a queue is never answered. */
  readonly hang?: number;
  /** A send to a queue fails. */
  readonly queue?: number;
  /** Events are refused, requests throttled and broken, and until this instant (epoch ms) nothing is reached. */
  readonly outageUntil?: number;
}

type Send = (
  command: unknown,
  options?: { readonly abortSignal?: AbortSignal },
) => Promise<unknown>;

/** Breaks the clients of this process. */
export function breakServices(faults: ServiceFaults, random: () => number): void {
  const { table = 0, lag = 0, hang = 0, queue = 0, outageUntil } = faults;
  if (lag > 0) intercept(DynamoDBDocumentClient, (send) => lagging(send, lag, random));
  if (table > 0) intercept(DynamoDBDocumentClient, (send) => failing(send, table, random));
  if (outageUntil !== undefined)
    intercept(EventBridgeClient, (send) => refusing(send, outageUntil, random));
  if (queue > 0) intercept(SQSClient, (send) => unreachable(send, queue, random));
  if (hang > 0) {
    intercept(EventBridgeClient, (send) => hanging(send, hang, random));
    intercept(SQSClient, (send) => hanging(send, hang, random));
  }
}

function intercept(client: { readonly prototype: object }, wrap: (send: Send) => Send): void {
  const prototype = client.prototype as { send: Send };
  const { send } = prototype;
  prototype.send = function broken(this: object, ...args) {
    return wrap(send.bind(this) as Send)(...args);
  };
}

const isWrite = (command: unknown): boolean =>
  [PutCommand, UpdateCommand, DeleteCommand].some((kind) => command instanceof kind);

/** The errors after which the AWS client has given up. */
function failing(send: Send, share: number, random: () => number): Send {
  return async (command, options) => {
    if (random() >= share) return send(command, options);
    const isTransaction = command instanceof TransactWriteCommand;
    const dice = random();
    if (dice < 0.4 && (isTransaction || isWrite(command))) throw conflict(isTransaction);
    if (dice < 0.8) throw throttling(isTransaction);
    await send(command, options);
    throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
  };
}

const about = (message: string) => ({ message, $metadata: {} });

const cancelled = (Code: string) =>
  new TransactionCanceledException({ ...about(Code), CancellationReasons: [{ Code }] });

const conflict = (isTransaction: boolean): Error =>
  isTransaction
    ? cancelled('TransactionConflict')
    : new TransactionConflictException(about('Transaction is ongoing for the item'));

const throttling = (isTransaction: boolean): Error =>
  isTransaction
    ? cancelled('ThrottlingError')
    : new ProvisionedThroughputExceededException(about('Throughput exceeds the capacity'));

/** The last answer of the first page, by index and partition. */
const seen = new Map<string, unknown>();

function lagging(send: Send, share: number, random: () => number): Send {
  return async (command, options) => {
    if (!(command instanceof QueryCommand) || command.input.ExclusiveStartKey !== undefined) {
      return send(command, options);
    }
    const { IndexName, ExpressionAttributeValues: values = {} } = command.input;
    if (IndexName === undefined) return send(command, options);
    const partition = `${IndexName} ${String(Object.values(values)[0])}`;
    const before = seen.get(partition);
    if (before !== undefined && random() < share) return before;
    const answer = await send(command, options);
    seen.set(partition, answer);
    return answer;
  };
}

/** Ends with the time that the caller gives it. */
function hanging(send: Send, share: number, random: () => number): Send {
  return async (command, options) => {
    const isSend = command instanceof PutEventsCommand || command instanceof SendMessageCommand;
    if (!isSend || random() >= share) return send(command, options);
    return new Promise((_resolve, reject) => {
      options?.abortSignal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
}

function unreachable(send: Send, share: number, random: () => number): Send {
  return async (command, options) => {
    if (command instanceof SendMessageCommand && random() < share) throw new Error('no connection');
    return send(command, options);
  };
}

function refusing(send: Send, outageUntil: number, random: () => number): Send {
  return async (command, options) => {
    if (!(command instanceof PutEventsCommand)) return send(command, options);
    if (Date.now() < outageUntil)
      throw Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' });
    const dice = random();
    if (dice < 0.1) throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    if (dice < 0.15) throw Object.assign(new Error('broken'), { name: 'InternalException' });
    const entries = command.input.Entries ?? [];
    const isRefused = entries.map(({ DetailType }) => DetailType === 'poison' || random() < 0.1);
    const taken = entries.filter((_, index) => !isRefused[index]);
    if (taken.length > 0) await send(new PutEventsCommand({ Entries: taken }), options);
    return {
      FailedEntryCount: entries.length - taken.length,
      Entries: isRefused.map((refused, index) =>
        refused ? { ErrorCode: 'InternalFailure' } : { EventId: String(index) },
      ),
    };
  };
}
