import { describe, expect, it } from 'vitest';
import { tableChecks } from '../../helpers/memory-dynamodb/checks/index.ts';
import { CheckedTable, outcomeOf } from '../../helpers/memory-dynamodb/checks/table-check.ts';
import { memoryDynamoDb } from '../../helpers/memory-dynamodb/memory-dynamodb.ts';

describe.each(Object.entries(tableChecks))('%s of the memory table', (_topic, checks) => {
  it.each(checks)('$name', async ({ run, gives }) => {
    const { client, tableName } = memoryDynamoDb();

    const outcome = await outcomeOf(() => run(new CheckedTable(client, tableName)));

    expect(outcome).toEqual(gives);
  });
});
