import type { Host } from '../host/host.ts';
import { actionOf, type Route } from '../http/route.ts';
import { isPermitted } from '../ports/permissions.ts';
import { httpProblems } from '../problems/http-problems.ts';
import type { Authenticate } from '../security/authenticate.ts';
import { anonymous, type Principal } from '../security/principal.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Authenticates and authorises a caller for a route. An absent guard denies.
 * @returns the caller; `anonymous` on public routes without a token.
 * @throws Problem `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
 */
export async function authorise(
  route: Route,
  headers: Headers,
  { authenticate, host }: { authenticate: Authenticate; host: Host },
): Promise<Principal> {
  const { access } = route;
  if (access.kind === 'capability') return anonymous;
  const principal = await authenticate(headers);
  if (access.kind === 'public' || access.kind === 'data') return principal;
  if (!principal.authenticated) {
    throw httpProblems.unauthenticated({
      detail: 'Send the header Authorization: Bearer <token>.',
    });
  }
  if (access.kind === 'permission') {
    const action = actionOf(route);
    const isAllowed = await isPermitted(host.permissionEvaluator, principal, access.target, action);
    if (!isAllowed) throw httpProblems.forbidden({ permission: `${access.target}:${action}` });
  }
  return principal;
}
