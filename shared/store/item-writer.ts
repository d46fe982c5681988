import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
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

/** Writes to the one table behind an AWS client. */
export function createItemWriter(client: DynamoDBDocumentClient, tableName: string): ItemWriter {
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

async function whenHeld<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (cause) {
    if (cause instanceof ConditionalCheckFailedException) return undefined;
    throw cause;
  }
}
