import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { onTestFinished } from 'vitest';
import { BucketFiles } from '../../../shared/files/bucket-files.ts';

export type BucketAnswer = (
  request: Pick<IncomingMessage, 'method' | 'url'> & Partial<Pick<IncomingMessage, 'headers'>>,
  response: ServerResponse,
) => void;

/** A bucket whose service answers as it is told. */
export async function aBucket(answer: BucketAnswer): Promise<BucketFiles> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
    maxAttempts: 1,
  });
  onTestFinished(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  return new BucketFiles('files', client);
}

/** An answer that refuses. */
export const refusal = (status: number, code: string): BucketAnswer => {
  return ({ method }, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(method === 'HEAD' ? '' : `<Error><Code>${code}</Code></Error>`);
  };
};
