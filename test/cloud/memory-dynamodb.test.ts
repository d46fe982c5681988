import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { cloud } from '../helpers/cloud/cloud.ts';
import { tableChecks } from '../helpers/memory-dynamodb/checks/index.ts';
import { CheckedTable, outcomeOf } from '../helpers/memory-dynamodb/checks/table-check.ts';

/** Where the local cloud is known to be laxer than DynamoDB, or to charge less; the memory table is not. */
const KNOWN_DIFFERENCES: ReadonlySet<string> = new Set([
  'refuses: SET amount = greeting + :v with 1',
  'refuses: SET greeting = list_append(greeting, :v) with d',
  'applies: REMOVE many[0], many[2] with ',
  'refuses: SET amount = :v ADD amount :v with 1',
  'refuses: SET amount = :v SET greeting = :v with 1',
  'refuses: SET amount = :v, with 1',
  'reads the range sk <> :v with c',
  'reads the range contains(sk, :v) with c',
  'refuses a partition key of an index over 2 KiB',
  'refuses a sort key of an index over 1 KiB',
  'refuses a projection of what it does not hold',
  'charges a read by 4 KiB begun',
  'charges a query by the sum of its items',
  'charges a batch by item',
]);

const client = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsClientConfig()), {
  marshallOptions: { removeUndefinedValues: true },
});
const outcomeOn = (run: (table: CheckedTable) => Promise<unknown>): Promise<unknown> =>
  outcomeOf(() => run(new CheckedTable(client, cloud.outputs.tableName)));

describe.each(Object.entries(tableChecks))('%s of the local cloud', (_topic, checks) => {
  const [known, shared] = [true, false].map((isKnown) =>
    checks.filter(({ name }) => KNOWN_DIFFERENCES.has(name) === isKnown),
  );

  it.each(shared ?? [])('agree with the memory table: $name', async ({ run, gives }) => {
    expect(await outcomeOn(run)).toEqual(gives);
  });

  it.each(known ?? [])('still differ from the memory table: $name', async ({ run, gives }) => {
    expect(await outcomeOn(run)).not.toEqual(gives);
  });
});
