import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { createDocumentClient } from '../../../../shared/store/document-client.ts';

const found = { Item: { pk: { S: 'p' }, n: { N: '1000000000000000000000' } } };

/** Answers every request with one item. */
const requestHandler = {
  handle: async () => ({
    response: {
      statusCode: 200,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: Buffer.from(JSON.stringify(found)),
    },
  }),
} as unknown as DynamoDBClientConfig['requestHandler'];

describe('createDocumentClient', () => {
  it('reads numbers of any size, and copies nothing for a log', async () => {
    const logged: unknown[] = [];
    const info = (line: unknown) => logged.push(line);
    const ignore = () => undefined;
    const client = createDocumentClient(
      new DynamoDBClient({
        region: 'us-east-1',
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
        requestHandler,
        logger: { debug: ignore, info, warn: ignore, error: ignore },
      }),
    );

    const { Item } = await client.send(new GetCommand({ TableName: 't', Key: { pk: 'p' } }));

    expect(Item).toEqual({ pk: 'p', n: 1e21 });
    expect(logged).toEqual([]);
  });
});
