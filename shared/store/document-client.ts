import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A client of the table whose numbers are JavaScript numbers, whatever their size. */
export function createDocumentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  // It copies every request and answer, field by field, for a log that is not used.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
}
