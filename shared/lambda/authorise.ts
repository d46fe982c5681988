import type { Host } from '../host/host.ts';
import { type AdmissionRequest, actionOf, type Route } from '../http/route.ts';
import { isPermitted } from '../ports/permissions.ts';
import { httpProblems } from '../problems/http-problems.ts';
import type { Authenticate } from '../security/authenticate.ts';
import { anonymous, type Principal } from '../security/principal.ts';

/**
 * Authenticates and authorises a caller for a route. An absent guard denies.
 * @returns the caller; `anonymous` on public routes without a token.
 * @throws Problem `UNAUTHENTICATED` (401), `FORBIDDEN` (403)
 */
export async function authorise(
  route: Route,
  request: AdmissionRequest,
  { authenticate, host }: { authenticate: Authenticate; host: Host },
): Promise<Principal> {
  const { access } = route;
  if (access.kind === 'capability') return anonymous;
  const admitted = access.kind === 'permission' ? await access.admits?.(request) : undefined;
  if (admitted) return admitted;
  const principal = await authenticate(request.headers);
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
