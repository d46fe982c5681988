import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { type Forwarding, startForwardingProxy } from '../../../bin/dev/proxy/forwarding-proxy.ts';
import { formatRecordedCall } from '../../helpers/grants/recorded-call.ts';
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
  const close = await startForwardingProxy({
    port,
    route: async (incoming) => target && forwarding(incoming, target, record),
    onUnreachable: (outgoing, error) => outgoing.destroy(error),
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    setTarget: (endpoint) => {
      target = new URL(endpoint);
    },
    setNames: (given) => {
      names = given;
    },
    close,
  };
}

function forwarding(
  incoming: IncomingMessage,
  target: URL,
  record: (call: AwsRequest) => void,
): Forwarding {
  const path = incoming.url ?? '/';
  if (needsBody(incoming)) {
    return { target, path, onBody: (body) => record(awsRequest(incoming, body.toString())) };
  }
  record(awsRequest(incoming, ''));
  return { target, path };
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
