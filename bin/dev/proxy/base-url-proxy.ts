import type { IncomingMessage, ServerResponse } from 'node:http';
import { startForwardingProxy } from './forwarding-proxy.ts';
import { Gate } from './gate.ts';

/** A stable base URL in front of an HTTP API whose own URL changes with every new deployment. */
export interface BaseUrlProxy {
  readonly baseUrl: string;
  readonly port: number;
  /** Sends requests to another API from now on. */
  setApi(apiId: string): void;
  /**
   * Runs `work` while no request is active: running ones may finish (for at most a second), new ones wait.
   * Replacing a function's code would otherwise abort its calls.
   */
  whileQuiet<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface BaseUrlProxyOptions {
  /** Address of the local cloud. */
  readonly endpoint: string;
  readonly apiId: string;
  /** Port of 127.0.0.1. */
  readonly port: number;
}

/**
 * Starts the proxy. Method, path, headers and bodies pass through byte for byte; `X-Forwarded-For`, `-Host` and
 * `-Proto` are added.
 */
export async function startBaseUrlProxy(options: BaseUrlProxyOptions): Promise<BaseUrlProxy> {
  const target = new URL(options.endpoint);
  let prefix = apiPath(options.apiId);
  const gate = new Gate();
  const stop = await startForwardingProxy({
    port: options.port,
    async route(incoming, outgoing) {
      await gate.enter();
      if (outgoing.closed) gate.leave();
      else outgoing.once('close', () => gate.leave());
      const path = `${prefix}${incoming.url ?? '/'}`;
      return { target, path, addedHeaders: forwardedHeaders(incoming) };
    },
    onUnreachable: badGateway,
  });
  return {
    baseUrl: `http://127.0.0.1:${options.port}`,
    port: options.port,
    setApi: (apiId) => {
      prefix = apiPath(apiId);
    },
    whileQuiet: (work) => gate.whileQuiet(work),
    close: stop,
  };
}

function apiPath(apiId: string): string {
  return `/_aws/execute-api/${apiId}/$default`;
}

function forwardedHeaders({ headers, socket }: IncomingMessage): string[] {
  const before = headers['x-forwarded-for'];
  const client = socket.remoteAddress ?? '127.0.0.1';
  const added = ['X-Forwarded-For', client, 'X-Forwarded-Proto', 'http'];
  // Keep headers of an outer proxy.
  if (before !== undefined) return [];
  return headers.host ? [...added, 'X-Forwarded-Host', headers.host] : added;
}

function badGateway(outgoing: ServerResponse, error: Error): void {
  outgoing.writeHead(502, { 'content-type': 'application/problem+json' });
  outgoing.end(
    JSON.stringify({
      type: 'urn:svc-cloud:problem:LOCAL_CLOUD_UNREACHABLE',
      title: 'The local cloud does not answer',
      status: 502,
      detail: `${error.message}. Run "npm run status"; "npm start" starts it again.`,
      code: 'LOCAL_CLOUD_UNREACHABLE',
    }),
  );
}
