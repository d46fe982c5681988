import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import type { DueRef } from '../../shared/messaging/outbox/outbox-row.ts';

/** The rows that records of the table's stream show as new or made due again. */
export function refsInStream(records: readonly DynamoDBRecord[]): DueRef[] {
  return records.flatMap(({ dynamodb }) => {
    const { pk, sk, gsi1sk, summary } = dynamodb?.NewImage ?? {};
    if (!pk?.S || !sk?.S || !gsi1sk?.S) return [];
    return [{ pk: pk.S, sk: sk.S, gsi1sk: gsi1sk.S, summary: readSummary(summary) }];
  });
}

function readSummary(value: AttributeValue | undefined): DueRef['summary'] {
  const { createdAt, orderedKey, sequence, after } = value?.M ?? {};
  return {
    createdAt: createdAt?.S ?? '',
    ...(orderedKey?.S ? { orderedKey: orderedKey.S } : {}),
    ...(sequence?.N ? { sequence: Number(sequence.N) } : {}),
    ...(after?.N ? { after: Number(after.N) } : {}),
  };
}
