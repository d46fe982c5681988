import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

/** Context of the current invocation, propagated to everything it starts. */
export interface RequestContext {
  /** Returned in `X-Trace-Id`, and part of log lines, messages and history. */
  readonly traceId: string;
  /** W3C trace context of the caller, passed on to messages. */
  readonly traceparent?: string | undefined;
  /** Address of the gateway that took the request; absent where there is none. */
  readonly gatewayUrl?: string | undefined;
  /** Address of the caller as the platform's own edge saw it; absent where there is none. */
  readonly clientAddress?: string | undefined;
  /** When the gateway stops waiting for the answer (epoch ms); absent without a waiting caller. */
  readonly answerBy?: number | undefined;
  /** When the invocation ends at the latest (epoch ms); absent where no time limit is known. */
  readonly deadline?: number | undefined;
}

const storage = new AsyncLocalStorage<RequestContext>();
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Runs work in the context of a request. */
export const runInContext = <T>(context: RequestContext, work: () => T): T =>
  storage.run(context, work);

/** The context of the invocation; a new trace outside of one. */
export const requestContext = (): RequestContext => storage.getStore() ?? { traceId: newTraceId() };

/** Whether the invocation ends within a time (ms), by the clock of the machine; never, where no time limit is known. */
export function endsWithin(ms: number, clock: Clock): boolean {
  const { deadline } = requestContext();
  return deadline !== undefined && deadline - clock.now() < ms;
}

/**
 * The trace a request belongs to: from `traceparent`, else `X-Trace-Id`, else the X-Ray root, else a new one.
 * @see W3C Trace Context, section 3.2
 */
export function readTrace(
  headers: Readonly<Record<string, string | undefined>>,
  xRayHeader: string | undefined,
): RequestContext {
  const traceparent = headers.traceparent;
  const w3cId = traceparent === undefined ? undefined : TRACEPARENT.exec(traceparent)?.[1];
  if (w3cId && !/^0+$/.test(w3cId)) return { traceId: w3cId, traceparent };
  const given = headers['x-trace-id'];
  if (given !== undefined && TRACE_ID.test(given)) return { traceId: given };
  const xRayRoot = /Root=1-([0-9a-f]{8})-([0-9a-f]{24})/.exec(xRayHeader ?? '');
  return { traceId: xRayRoot ? `${xRayRoot[1]}${xRayRoot[2]}` : newTraceId() };
}

const newTraceId = (): string => randomBytes(16).toString('hex');
