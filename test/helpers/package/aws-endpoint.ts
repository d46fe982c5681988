import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { MemoryDynamoDb } from '../memory-dynamodb/memory-dynamodb.ts';

/** An endpoint of AWS on this machine: the table in memory, and a bus that keeps what it was given. */
export interface AwsEndpoint {
  readonly url: string;
  /** Types of the events on the bus, in their order. */
  readonly events: readonly string[];
  close(): void;
}

/** Serves a table in memory to other processes. */
export async function serveAws(db: MemoryDynamoDb): Promise<AwsEndpoint> {
  const events: string[] = [];
  const server = createServer(async (request, response) => {
    const [service = '', operation = ''] = String(request.headers['x-amz-target']).split('.');
    const body = await text(request);
    if (service === 'AWSEvents') {
      const { Entries } = JSON.parse(body) as { Entries: { DetailType: string }[] };
      events.push(...Entries.map(({ DetailType }) => DetailType));
      const entries = Entries.map((_, index) => ({ EventId: String(index) }));
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify({ FailedEntryCount: 0, Entries: entries }));
      return;
    }
    const answer = await db.respond(operation, body);
    response.writeHead(answer.statusCode, answer.headers).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    events,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
