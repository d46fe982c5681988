import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { parseEnvelope } from '../messaging/envelope.ts';
import type { Listener } from '../messaging/listener.ts';
import type { Log } from '../primitives/log.ts';
import { readTrace, runInContext } from './request-context.ts';

/**
 * Hands the messages of a queue batch to the listeners of their topics, one after the other.
 * @returns the ids of those that failed: they come back; the others are done.
 */
export async function handleQueueBatch(
  records: readonly SQSRecord[],
  listeners: readonly Listener[],
  log: Log,
): Promise<SQSBatchResponse> {
  const failed: string[] = [];
  for (const record of records) {
    const done = await handleRecord(record, listeners, log);
    if (!done && record.messageId !== '') failed.push(record.messageId);
  }
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function handleRecord(
  record: SQSRecord,
  listeners: readonly Listener[],
  log: Log,
): Promise<boolean> {
  const event = parseJson(record.body) as { 'detail-type'?: unknown; detail?: unknown } | undefined;
  const envelope = parseEnvelope(event?.detail);
  if (!envelope) {
    log.error('A queue message is no message of the bus; it goes to the dead-letter queue', {
      queueMessageId: record.messageId,
    });
    return false;
  }
  const trace = readTrace(
    { traceparent: envelope.traceparent, 'x-trace-id': envelope.traceid },
    undefined,
  );
  return runInContext(trace, async () => {
    try {
      for (const { topic, handle } of listeners) {
        if (topic !== envelope.type) continue;
        await handle({
          messageId: envelope.id,
          topic,
          key: envelope.subject ?? null,
          payload: envelope.data,
          headers: envelope.svcheaders ?? {},
          source: envelope.source,
          traceId: trace.traceId,
        });
      }
      log.info('message', { topic: envelope.type, messageId: envelope.id });
      return true;
    } catch (cause) {
      log.error('A listener failed; the message comes back', {
        topic: envelope.type,
        messageId: envelope.id,
        cause,
      });
      return false;
    }
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
