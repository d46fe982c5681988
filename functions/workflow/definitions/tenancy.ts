import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';

/** The tenant of a caller; empty: of none, who may work for any. */
export const tenantOf = ({ tenant }: Pick<Principal, 'tenant'>): string => tenant ?? '';

/**
 * The tenant in which a caller changes something.
 * @throws Problem `FORBIDDEN` (403) for a tenant that is not the caller's
 */
export function workingTenant(
  principal: Pick<Principal, 'tenant'>,
  requested: string | undefined,
): string {
  const own = tenantOf(principal);
  if (requested === undefined || requested === own) return own;
  if (own === '') return requested;
  throw httpProblems.forbidden({});
}

/**
 * The tenants in which something is looked for, in their order: the caller's, or the one that was asked for, and what
 * is of no tenant; none when it is another one's.
 */
export function readableTenants(
  principal: Pick<Principal, 'tenant'>,
  requested: string | undefined,
): readonly string[] {
  const own = tenantOf(principal);
  if (requested === undefined) return own === '' ? [''] : [own, ''];
  if (requested !== '' && own !== '' && requested !== own) return [];
  return requested === '' ? [''] : [requested, ''];
}
