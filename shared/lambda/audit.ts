import { actionOf, type Route, type RouteInput } from '../http/route.ts';
import type { Log } from '../primitives/log.ts';
import { actorOf, type Principal } from '../security/principal.ts';

/** A call that the log keeps: who asked for what. */
export interface AuditedCall {
  readonly operation: string;
  readonly principal: Principal;
  /** Resources that its path and the route name. */
  readonly concerns: Readonly<Record<string, unknown>>;
}

/** The audited call of a route, with or without input; `undefined` for calls that change nothing and for anonymous callers. */
export function auditedCall(
  route: Route,
  principal: Principal,
  input?: RouteInput<unknown, unknown, unknown>,
): AuditedCall | undefined {
  if (actionOf(route) === 'view' || !principal.authenticated) return undefined;
  const concerns = { ...(input?.params ?? {}), ...(input && route.concerns?.(input)) };
  return { operation: route.operationId, principal, concerns };
}

/** Writes who has called what, and what became of it. */
export function writeAudit(
  log: Log,
  { operation, principal, concerns }: AuditedCall,
  outcome: {
    readonly status: number;
    readonly code?: string | undefined;
    readonly created?: string;
  },
): void {
  log.info('audit', { operation, ...concerns, ...actorOf(principal), ...outcome });
}
