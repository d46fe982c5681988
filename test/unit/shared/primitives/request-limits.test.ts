import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { describe, expect, it } from 'vitest';
import { putEventsCommand } from '../../../../shared/messaging/outbox/bus-client.ts';
import { SENDING_MS } from '../../../../shared/messaging/outbox/sender.ts';
import {
  clientLimits,
  sendLimits,
  waitingLimits,
} from '../../../../shared/primitives/request-limits.ts';

const sources = globSync('{functions,shared}/**/*.ts').map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}));

describe('clients of AWS services', () => {
  const made = sources.flatMap(({ file, text }) => {
    const names = [...text.matchAll(/import[^;]*?from '@aws-sdk\/client-[^']+'/gs)]
      .flatMap(([line]) => line.match(/\w+Client\b/g) ?? [])
      .join('|');
    if (names === '') return [];
    const calls = [...text.matchAll(new RegExp(`new (?:${names})\\(([^;]*?)\\)[;,)]`, 'gs'))];
    return calls.map(([, settings = '']) => ({ file, settings }));
  });

  it('are found', () => {
    expect(made.map(({ file }) => file)).toEqual(
      expect.arrayContaining([
        'shared/files/bucket/bucket-client.ts',
        'shared/lambda/secret-client.ts',
      ]),
    );
  });

  it.each(made)('in $file have time-outs and attempts', ({ settings }) => {
    expect(settings).toMatch(/\b(clientLimits|sendLimits|waitingLimits\()/);
  });

  it('are made nowhere without an import that this test sees', () => {
    const others = sources.filter(
      ({ file, text }) =>
        /new (DynamoDB|S3|SQS|EventBridge|Lambda|SecretsManager|SSM|SFN|Scheduler|SESv2)Client\(/.test(
          text,
        ) && !made.some((each) => each.file === file),
    );

    expect(others).toEqual([]);
  });

  it('give up a hanging connection, request or answer', () => {
    expect(clientLimits).toMatchObject({
      maxAttempts: 3,
      requestHandler: {
        connectionTimeout: expect.any(Number),
        requestTimeout: expect.any(Number),
        socketTimeout: expect.any(Number),
        throwOnRequestTimeout: true,
      },
    });
  });

  it('that send behind a commit end two attempts within the time of a send', () => {
    const { maxAttempts, requestHandler } = sendLimits;

    expect(maxAttempts).toBe(2);
    expect(maxAttempts * requestHandler.requestTimeout).toBeLessThanOrEqual(SENDING_MS);
    expect(SENDING_MS).toBeLessThanOrEqual(3_000);
  });

  it('that send behind a commit try twice at a service that never answers', async () => {
    let requests = 0;
    const server = createServer(() => {
      requests += 1;
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new EventBridgeClient({
      ...sendLimits,
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });

    await expect(client.send(putEventsCommand([{ Detail: '{}' }]))).rejects.toThrow();
    client.destroy();
    server.closeAllConnections();
    server.close();

    expect(requests).toBe(2);
  });

  it('that wait for work ask for it once', () => {
    expect(waitingLimits(26_000)).toMatchObject({
      maxAttempts: 1,
      requestHandler: { requestTimeout: 26_000, socketTimeout: 26_000 },
    });
  });
});
