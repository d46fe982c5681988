import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { apiEvent, type EventRequest } from '../../helpers/api/api-event.ts';
import { testSecurity } from '../../helpers/api/test-tokens.ts';
import { compiledOnce } from '../../helpers/world/run-folder.ts';
import type { FaultCloud } from './fault-cloud.ts';

/** What a process of the editor is sent. */
export interface ChildCall {
  readonly event: APIGatewayProxyEventV2;
  /** It dies before this call to table or bucket, from 0. */
  readonly dieBefore?: number | undefined;
}

/** What it answers. */
export interface ChildAnswer {
  readonly answer: APIGatewayProxyStructuredResultV2;
  /** Calls to table and bucket. */
  readonly calls: number;
}

/** A process that is the function of the editor. */
export interface EditorProcess {
  /** @returns `undefined` when it has died */
  call(request: EventRequest, dieBefore?: number): Promise<CallAnswer | undefined>;
  /** Most memory that it has had (MiB). */
  peakMemory(): number;
  stop(): Promise<void>;
}

export interface CallAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly calls: number;
}

/** How a process of the editor is set up. */
export interface EditorSetup {
  /** Raw `svc.docs`, besides `enabled`. */
  readonly docs: Readonly<Record<string, unknown>>;
  /** How much of a download is in memory; default: the function's own. */
  readonly memory?: { readonly mostInMemory: number; readonly partBytes: number } | undefined;
  /** Most megabytes of the heap. */
  readonly heapMb?: number | undefined;
}

/** Starts a process of the editor over a local cloud. */
export async function startEditor(cloud: FaultCloud, setup: EditorSetup): Promise<EditorProcess> {
  const heap = setup.heapMb === undefined ? [] : [`--max-old-space-size=${setup.heapMb}`];
  const child = spawn(process.execPath, [...heap, join(import.meta.dirname, 'editor-child.ts')], {
    env: environmentOf(cloud, setup),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [port] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`It has ended with ${code}`))),
  ])) as [number];
  return {
    call: (request, dieBefore) => callChild(port, { event: apiEvent(request), dieBefore }),
    peakMemory: () => peakMemory(child),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function callChild(port: number, call: ChildCall): Promise<CallAnswer | undefined> {
  const address = `http://127.0.0.1:${port}`;
  const sent = fetch(address, { method: 'POST', body: JSON.stringify(call) });
  const response = await sent.catch((error: unknown) => {
    // A connection that breaks is that of a process that was told to die.
    if (call.dieBefore === undefined) throw error;
    return undefined;
  });
  if (!response) return undefined;
  const { answer, calls } = (await response.json()) as ChildAnswer;
  const body = JSON.parse(answer.body ?? '{}') as CallAnswer['body'];
  return { status: answer.statusCode ?? 0, body, calls };
}

function peakMemory({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
}

const environmentOf = (cloud: FaultCloud, { docs, memory }: EditorSetup): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ...cloud.environment,
  ...compiledOnce(),
  SVC_MODULE: 'editor',
  SVC_CONFIG: JSON.stringify({
    security: testSecurity,
    mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } },
    web: { 'public-url': 'https://api.example.com' },
    docs: { enabled: true, ...docs },
  }),
  SVC_MESSAGING: '{}',
  ...(memory && { EDITOR_MEMORY: JSON.stringify(memory) }),
});
