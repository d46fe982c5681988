import { randomUUID } from 'node:crypto';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

type Input = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>>;

/** One fact about DynamoDB that the double and the local cloud must agree on. */
export interface TableCheck {
  readonly name: string;
  readonly run: (table: CheckedTable) => Promise<unknown>;
  readonly gives: unknown;
}

/** What a refused request comes to: the name of the error and the codes of a cancelled transaction. */
export interface Refusal {
  readonly refused: string;
  readonly reasons?: readonly (string | undefined)[];
}

/** A partition of its own in a table, and short ways to the operations. */
export class CheckedTable {
  readonly pk = `check#${randomUUID()}`;
  readonly name: string;
  readonly #client: DynamoDBDocumentClient;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.name = tableName;
  }

  key(sk = 'a'): { readonly pk: string; readonly sk: string } {
    return { pk: this.pk, sk };
  }

  async put(attributes: Input = {}, more: Input = {}): Promise<Answer> {
    const Item = { ...this.key(), type: 'check', ...attributes };
    return this.#client.send(new PutCommand({ TableName: this.name, Item, ...more }));
  }

  async get(sk = 'a', more: Input = {}): Promise<Answer> {
    const input = { TableName: this.name, Key: this.key(sk), ConsistentRead: true, ...more };
    return this.#client.send(new GetCommand(input));
  }

  async update(UpdateExpression: string, more: Input = {}): Promise<Answer> {
    const input = { TableName: this.name, Key: this.key(), UpdateExpression, ...more };
    return this.#client.send(new UpdateCommand(input));
  }

  async delete(sk = 'a', more: Input = {}): Promise<Answer> {
    return this.#client.send(
      new DeleteCommand({ TableName: this.name, Key: this.key(sk), ...more }),
    );
  }

  /** A query of the partition, with `:pk` given. */
  async query(more: Input = {}, values: Input = {}): Promise<Answer> {
    const input = {
      TableName: this.name,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': this.pk, ...values },
      ...more,
    };
    return this.#client.send(new QueryCommand(input));
  }

  async batchGet(Keys: readonly Input[], more: Input = {}): Promise<Answer> {
    const request = { Keys: [...Keys], ConsistentRead: true };
    return this.#client.send(
      new BatchGetCommand({ RequestItems: { [this.name]: request }, ...more }),
    );
  }

  async batchWrite(requests: readonly Input[]): Promise<Answer> {
    return this.#client.send(
      new BatchWriteCommand({ RequestItems: { [this.name]: [...requests] } }),
    );
  }

  /** A transaction; each action is `{Put: {...}}` without the table's name. */
  async transact(actions: readonly Input[], more: Input = {}): Promise<Answer> {
    const TransactItems = actions.map((action) =>
      Object.fromEntries(
        Object.entries(action).map(([kind, input]) => [
          kind,
          { TableName: this.name, ...(input as Input) },
        ]),
      ),
    );
    return this.#client.send(new TransactWriteCommand({ TransactItems, ...more }));
  }

  /** Sort keys of an answer's items, in its order. */
  static sortKeys({ Items = [] }: { readonly Items?: unknown }): unknown[] {
    return (Items as readonly Input[]).map(({ sk }) => sk);
  }
}

/** Runs a check; a refusal of the table is an outcome like any other. */
export async function outcomeOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    const { name, CancellationReasons: reasons } = error as Error & {
      CancellationReasons?: readonly { Code?: string }[];
    };
    return { refused: name, ...(reasons && { reasons: reasons.map(({ Code }) => Code) }) };
  }
}

export const refused: Refusal = { refused: 'ValidationException' };
