import type { Principal } from '../../../shared/security/principal.ts';
import type { TestClaims } from './test-tokens.ts';

/** The principal that a token with these claims stands for. */
export function principalOf(claims: TestClaims): Principal {
  const { sub = 'demo', roles = [], groups = [], permissions = [] } = claims;
  return { id: sub, username: sub, authenticated: true, roles, groups, permissions, claims };
}
