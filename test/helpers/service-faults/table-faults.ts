import * as dynamodb from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { ServiceError } from '../memory-dynamodb/errors.ts';
import { errorOf, Faults } from '../memory-dynamodb/faults.ts';
import type { Send } from './send.ts';

/** The faults of the table in memory, in front of a client of a real one: it has given up when they are seen. */
export function unreliableTable(send: Send, share: number, seed: number): Send {
  const faults = new Faults();
  // A lost answer is the rarest: each costs the time of a claim.
  const kinds = ['conflict', 'conflict', 'throttling', 'throttling', 'answer-lost'] as const;
  faults.addByChance({ share, seed, faults: kinds });
  return async (command, options) => {
    const operation = operationOf(command);
    const fault = operation && faults.next(operation);
    if (!operation || !fault) return send(command, options);
    if (fault === 'answer-lost') await send(command, options);
    const actions = command instanceof TransactWriteCommand ? command.input.TransactItems : [];
    throw asClientError(errorOf(fault, operation, actions?.length ?? 0));
  };
}

const OPERATIONS = [
  [GetCommand, 'GetItem'],
  [PutCommand, 'PutItem'],
  [UpdateCommand, 'UpdateItem'],
  [DeleteCommand, 'DeleteItem'],
  [QueryCommand, 'Query'],
  [BatchGetCommand, 'BatchGetItem'],
  [BatchWriteCommand, 'BatchWriteItem'],
  [TransactGetCommand, 'TransactGetItems'],
  [TransactWriteCommand, 'TransactWriteItems'],
] as const;

const operationOf = (command: unknown): string | undefined =>
  OPERATIONS.find(([kind]) => command instanceof kind)?.[1];

type ExceptionClass = new (facts: object) => Error;

/** What the AWS client makes of the answer of the service. */
function asClientError(error: Error): Error {
  if (!(error instanceof ServiceError)) return error;
  const { code, message, status, members } = error;
  const Exception = (dynamodb as unknown as Record<string, ExceptionClass | undefined>)[code];
  if (!Exception) throw new Error(`The AWS client knows no ${code}`);
  return new Exception({ message, $metadata: { httpStatusCode: status }, ...members });
}

/** A query of an index answers what it has answered before; only the first page of a partition. */
export function laggingIndex(send: Send, share: number, random: () => number): Send {
  const seen = new Map<string, unknown>();
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
