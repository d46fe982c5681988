import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../helpers/cloud/api-client.ts';
import { cloud } from '../helpers/cloud/cloud.ts';
import { eventually } from '../helpers/cloud/host-platform.ts';

const GROUP = 'svc-cloud-config';
const TOPIC = 'iam-config-refresh';

let api: ApiClient;
let deadLetterQueue: string;
const sqs = () => new SQSClient({ ...cloud.awsClientConfig(), useQueueUrlAsEndpoint: false });

beforeAll(async () => {
  const token = await cloud.token({ sub: 'operator', roles: ['admin'] });
  api = createApiClient({ baseUrl: cloud.baseUrl, token });
  const { QueueUrls = [] } = await sqs().send(new ListQueuesCommand({}));
  deadLetterQueue = QueueUrls.find((url) => url.endsWith(`--${GROUP}-dead`)) ?? '';
});

async function tracking(messageId: string): Promise<Record<string, unknown> | undefined> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsClientConfig()));
  const pages = paginateScan({ client }, { TableName: cloud.outputs.tableName });
  for await (const { Items = [] } of pages) {
    const found = Items.find(
      (item) =>
        item.type === 'message_tracking' && item.group === GROUP && item.messageId === messageId,
    );
    if (found) return found;
  }
  return undefined;
}

/** Puts something into the queue where a crash loop ends, and waits until it is listed. */
async function buried(body: string): Promise<{ id: string; messageId: string }> {
  const { MessageId = '' } = await sqs().send(
    new SendMessageCommand({
      QueueUrl: deadLetterQueue,
      MessageBody: body,
      MessageAttributes: { svcRedrives: { DataType: 'Number', StringValue: '3' } },
    }),
  );
  return eventually('it is listed', async () => {
    const { body: page } = await api.get('/broker/dead-letter', {
      query: { group: GROUP, size: 200 },
    });
    return page.content.find(({ messageId }: { messageId: string }) =>
      [MessageId, body.startsWith('{') ? JSON.parse(body).id : ''].includes(messageId),
    );
  });
}

function anEnvelope(): { id: string } & Record<string, unknown> {
  return {
    specversion: '1.0',
    id: uuidv7(),
    source: '/svc/another-app',
    type: TOPIC,
    subject: 'a.key',
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    traceid: 'trace-of-another-app',
    data: { key: 'a.key' },
  };
}

describe('what a crash loop leaves', () => {
  it('is listed, requeued under its messageId, and then processed', async () => {
    const envelope = anEnvelope();
    const { id } = await buried(JSON.stringify(envelope));

    const one = await api.get(`/broker/dead-letter/${id}`);
    const requeue = await api.post(`/broker/dead-letter/${id}/requeue`);
    const done = await eventually('it is processed', async () => {
      const row = await tracking(envelope.id);
      return row?.status === 'PROCESSED' ? row : undefined;
    });

    expect(one.body).toMatchObject({
      source: 'consumer',
      topic: TOPIC,
      group: GROUP,
      traceId: 'trace-of-another-app',
      lastError: { code: 'MQ_QUEUE_GAVE_UP' },
      payload: { key: 'a.key' },
    });
    expect(requeue.status).toBe(202);
    expect(done).toMatchObject({ requeueCount: 1, attempts: 1 });
    expect((await api.get(`/broker/dead-letter/${id}`)).body.code).toBe('MQ_NOT_DEAD');
  });

  it('can only be discarded when it is no message', async () => {
    const { id, messageId } = await buried(`no message ${uuidv7()}`);

    const requeue = await api.post(`/broker/dead-letter/${id}/requeue`);
    const bulk = await api.post('/broker/dead-letter/requeue', { body: { ids: [id] } });
    const discard = await api.delete(`/broker/dead-letter/${id}`, { query: { reason: 'garbage' } });

    expect(requeue.body.code).toBe('MQ_NOT_A_MESSAGE');
    expect(bulk.body).toEqual({
      requeued: 0,
      skipped: [{ id, reason: 'MQ_NOT_A_MESSAGE' }],
      remaining: false,
    });
    expect(discard.status).toBe(204);
    expect(await tracking(messageId)).toMatchObject({
      status: 'DISCARDED',
      discardedBy: 'operator',
    });
  });
});

describe('POST /broker/dispatch', () => {
  it('reaches the listener of another function, once for each messageId', async () => {
    const request = {
      query: { topic: TOPIC },
      body: { messageId: uuidv7(), payload: { key: 'x' } },
    };

    const first = await api.post('/broker/dispatch', request);
    const second = await api.post('/broker/dispatch', {
      ...request,
      headers: { 'idempotency-key': uuidv7() },
    });

    expect(first.body.results).toEqual([{ group: GROUP, status: 'PROCESSED' }]);
    expect(second.body.results).toEqual([{ group: GROUP, status: 'DUPLICATE' }]);
  });

  it('answers for a topic that nobody hears', async () => {
    const { body } = await api.post('/broker/dispatch', {
      query: { topic: 'nobody' },
      body: { payload: 1 },
    });

    expect(body).toMatchObject({ status: 404, code: 'MQ_NO_LISTENER' });
  });
});

describe('a notice', () => {
  it('goes through the outbox into the tracking of its group, in one trace', async () => {
    const documents = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsClientConfig()));
    const traceId = `trace-${uuidv7()}`;
    await api.post('/api/v1/setting/refresh', {
      body: { key: 'traced' },
      headers: { 'x-trace-id': traceId },
    });

    const row = await eventually('the row is there', async () => {
      const pages = paginateScan({ client: documents }, { TableName: cloud.outputs.tableName });
      for await (const { Items = [] } of pages) {
        const found = Items.find((item) => item.type === 'message' && item.traceId === traceId);
        if (found) return found;
      }
      return undefined;
    });

    expect(row).toMatchObject({ status: 'SENT', topic: TOPIC, attempts: 1 });
    const processed = await eventually('it is processed', async () => {
      const found = await tracking(row.messageId);
      return found?.status === 'PROCESSED' ? found : undefined;
    });
    expect(processed).toMatchObject({ attempts: 1, topic: TOPIC });
  });
});
