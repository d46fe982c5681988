import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { formatRecordedCall } from '../../../test/helpers/recorded-call.ts';
import {
  type AwsRequest,
  callingModule,
  type ResourceNames,
  signedService,
} from './aws-request.ts';
import { iamCalls } from './iam-calls.ts';

/** A proxy between the functions and the local cloud that writes down every AWS call of a function. */
export interface RecordingProxy {
  readonly endpoint: string;
  /** Says where calls go; before that they wait in vain. */
  setTarget(endpoint: string): void;
  /** Names of the platform's resources; calls before it are not written down. */
  setNames(names: ResourceNames): void;
  close(): Promise<void>;
}

/** Starts a recording proxy on a port of 127.0.0.1; the recording (JSON lines, each call once) begins empty. */
export async function startRecordingProxy(
  port: number,
  recording: string,
): Promise<RecordingProxy> {
  mkdirSync(dirname(recording), { recursive: true });
  writeFileSync(recording, '');
  const agent = new Agent({ keepAlive: true });
  const written = new Set<string>();
  let target: URL | undefined;
  let names: ResourceNames | undefined;
  const record = (call: AwsRequest): void => {
    const module = callingModule(call.headers['user-agent']);
    if (!module || !names) return;
    for (const iamCall of iamCalls(call, names)) {
      const line = formatRecordedCall({ module, ...iamCall });
      if (written.has(line)) continue;
      written.add(line);
      appendFileSync(recording, `${line}\n`);
    }
  };
  const server = createServer((incoming, outgoing) => {
    if (target) forward(incoming, outgoing, { target, agent, record });
    else outgoing.writeHead(503).end();
  });
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    setTarget: (endpoint) => {
      target = new URL(endpoint);
    },
    setNames: (given) => {
      names = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}

interface Forwarding {
  readonly target: URL;
  readonly agent: Agent;
  readonly record: (call: AwsRequest) => void;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, to: Forwarding): void {
  const chunks: Buffer[] = [];
  const keepsBody = needsBody(incoming);
  const upstream = request({
    agent: to.agent,
    hostname: to.target.hostname,
    port: to.target.port,
    method: incoming.method,
    path: incoming.url,
    setHost: false,
    headers: incoming.rawHeaders,
  });
  upstream.once('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
    answer.pipe(outgoing);
  });
  upstream.once('error', (error) => outgoing.destroy(error));
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) upstream.destroy();
  });
  incoming.on('data', (chunk: Buffer) => {
    if (keepsBody) chunks.push(chunk);
  });
  incoming.once('end', () => to.record(awsRequest(incoming, Buffer.concat(chunks).toString())));
  incoming.pipe(upstream);
}

/** Objects pass by unread; only a list of objects to delete is looked into. */
function needsBody({ headers, method, url }: IncomingMessage): boolean {
  const isObject = signedService(headers.authorization) === 's3';
  return !isObject || (method === 'POST' && /[?&]delete(=|&|$)/.test(url ?? ''));
}

function awsRequest({ headers, method, url }: IncomingMessage, body: string): AwsRequest {
  const flat = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return { method: method ?? 'GET', url: url ?? '/', headers: flat, body };
}
