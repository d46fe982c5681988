import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { conditionInput, updateInput } from './conditions.ts';
import type { Condition, Item, Key, Update } from './table.ts';

/**
 * Conditional writes of one item, at half the cost of a transaction: for claims and marks that belong to no
 * business transaction. All other writes use a unit of work.
 */
export interface ItemWriter {
  /** @returns the item as it is now, or `undefined` when the condition does not hold. */
  update<T extends Key = Item>(
    key: Key,
    update: Update,
    condition: Condition,
  ): Promise<T | undefined>;
  /** Updates without reading the item back, which may be large. @returns whether the condition held. */
  mark(key: Key, update: Update, condition: Condition): Promise<boolean>;
  /** @returns whether the condition held. */
  put(item: Item, condition: Condition): Promise<boolean>;
}

/** Tries of a write while a transaction holds its item; the AWS client repeats no such refusal. */
const MAX_ATTEMPTS = 4;

/**
 * Writes to the one table behind an AWS client.
 * @param pauseMs pause before try n (from 1); default: up to 25 ms x 2^n.
 */
export function createItemWriter(
  client: DynamoDBDocumentClient,
  tableName: string,
  pauseMs = (attempt: number) => Math.random() * 25 * 2 ** attempt,
): ItemWriter {
  const whenFree = async <T>(write: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write();
      } catch (cause) {
        const isHeld = cause instanceof TransactionConflictException;
        if (!isHeld || attempt === MAX_ATTEMPTS) throw cause;
        await sleep(pauseMs(attempt));
      }
    }
  };
  const whenHeld = async <T>(write: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await whenFree(write);
    } catch (cause) {
      if (cause instanceof ConditionalCheckFailedException) return undefined;
      throw cause;
    }
  };
  const send = (
    { pk, sk }: Key,
    update: Update,
    condition: Condition,
    returned: 'ALL_NEW' | 'NONE',
  ) =>
    whenHeld(() =>
      client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: { pk, sk },
          ...updateInput(update, condition),
          ReturnValues: returned,
        }),
      ),
    );
  return {
    async update<T extends Key>(key: Key, update: Update, condition: Condition) {
      const written = await send(key, update, condition, 'ALL_NEW');
      return written?.Attributes as T | undefined;
    },

    async mark(key, update, condition) {
      return (await send(key, update, condition, 'NONE')) !== undefined;
    },

    async put(item, condition) {
      const written = await whenHeld(() =>
        client.send(
          new PutCommand({
            TableName: tableName,
            Item: { ...item },
            ...conditionInput(condition),
          }),
        ),
      );
      return written !== undefined;
    },
  };
}
