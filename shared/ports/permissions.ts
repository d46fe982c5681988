import type { Principal } from '../security/principal.ts';
import type { PermissionEvaluator } from './security.ts';

/** Whether the host's evaluator allows an action; without an evaluator or an explicit yes it is denied. */
export async function isPermitted(
  evaluator: PermissionEvaluator | undefined,
  principal: Principal,
  target: string,
  action: string,
): Promise<boolean> {
  const decision = await evaluator?.hasPermission(principal, target, action);
  return decision === true || (typeof decision === 'object' && decision.allowed === true);
}
