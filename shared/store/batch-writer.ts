import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Key, StorableItem } from './table.ts';

/** Independent idempotent writes outside any transaction. */
export interface BatchWrites {
  readonly puts?: readonly StorableItem[];
  readonly deletes?: readonly Key[];
}

/** Writes many items without conditions, at half the price of a transaction. */
export type BatchWriter = (writes: BatchWrites) => Promise<void>;

/** Most items of one request. */
const BATCH_SIZE = 25;
const PARALLEL_REQUESTS = 4;
const MAX_ROUNDS = 8;

type Request = Readonly<Record<string, unknown>>;

/**
 * Makes a batch writer for one table. Unprocessed items are sent again after a pause.
 * @returns a function that fails when items remain after several rounds; some may be written then.
 */
export function createBatchWriter(
  client: DynamoDBDocumentClient,
  tableName: string,
  pauseMs = (round: number): number => Math.random() * 25 * 2 ** round,
): BatchWriter {
  const send = async (requests: readonly Request[]): Promise<void> => {
    let left: readonly Request[] = requests;
    for (let round = 1; left.length > 0; round += 1) {
      if (round > MAX_ROUNDS) throw new Error('The table left writes of a batch undone');
      if (round > 1) await sleep(pauseMs(round - 1));
      const answer: { UnprocessedItems?: Record<string, Request[]> } = await client.send(
        new BatchWriteCommand({ RequestItems: { [tableName]: [...left] } }),
      );
      left = answer.UnprocessedItems?.[tableName] ?? [];
    }
  };
  return async ({ puts = [], deletes = [] }) => {
    const requests: Request[] = [
      ...puts.map((item) => ({ PutRequest: { Item: item } })),
      ...deletes.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
    ];
    for (let at = 0; at < requests.length; at += BATCH_SIZE * PARALLEL_REQUESTS) {
      const batches = Array.from({ length: PARALLEL_REQUESTS }, (_, lane) => {
        const from = at + lane * BATCH_SIZE;
        return requests.slice(from, from + BATCH_SIZE);
      });
      await Promise.all(batches.map(send));
    }
  };
}
