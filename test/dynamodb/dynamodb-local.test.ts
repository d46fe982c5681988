import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { localClientConfig } from '../../bin/dev/local-cloud/aws-client.ts';
import { createPlatformTable } from '../helpers/cloud/create-table.ts';
import { tableChecks } from '../helpers/memory-dynamodb/checks/index.ts';
import { CheckedTable, outcomeOf } from '../helpers/memory-dynamodb/checks/table-check.ts';

const TABLE = 'checked';

/** Where DynamoDB Local is known to differ from the memory table, by check. */
const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'refuses: SET gsi1pk = :v with 7':
    'it takes a number for an index key that is a text; DynamoDB refuses the update',
  'returns the updated attributes of an update, old and new':
    'it returns the whole attribute around a changed member; DynamoDB only what was changed',
  'ends a page before 1 MB is passed': 'its pages hold the item that passes 1 MB as well',
  'cancels with an update that does not fit the item':
    'it refuses the request; DynamoDB cancels the transaction and says why for each item',
  'charges a batch by item': 'it charges nothing for an item that is not there',
  'charges a transaction double': 'its charges of transactions are not those of DynamoDB',
  'charges the indexes of a transaction once':
    'its charges of transactions are not those of DynamoDB',
};

const dynamodb = new DynamoDBClient(localClientConfig(process.env.DYNAMODB_LOCAL ?? ''));
const client = DynamoDBDocumentClient.from(dynamodb, {
  marshallOptions: { removeUndefinedValues: true },
});

beforeAll(() => createPlatformTable(dynamodb, TABLE));

const outcomeOn = (run: (table: CheckedTable) => Promise<unknown>): Promise<unknown> =>
  outcomeOf(() => run(new CheckedTable(client, TABLE)));

describe.each(Object.entries(tableChecks))('%s of DynamoDB Local', (_topic, checks) => {
  const known = checks.flatMap((check) => {
    const reason = KNOWN_DIFFERENCES[check.name];
    return reason === undefined ? [] : [{ ...check, reason }];
  });
  const shared = checks.filter(({ name }) => KNOWN_DIFFERENCES[name] === undefined);

  it.each(shared)('agree with the memory table: $name', async ({ run, gives }) => {
    expect(await outcomeOn(run)).toEqual(gives);
  });

  it.each(known)('still differ: $name ($reason)', async ({ run, gives }) => {
    expect(await outcomeOn(run)).not.toEqual(gives);
  });
});
