import type { Route } from '../../../shared/http/route.ts';
import { withMembers } from '../../../shared/primitives/lazy.ts';
import { problems } from '../errors.ts';
import type { Readiness } from '../store/readiness.ts';

/** The routes, which answer `CMMN_RUNTIME_NOT_READY` (503) while the runtime is not ready. */
export const whenReady = (
  readiness: Pick<Readiness, 'require'>,
  routes: readonly Route[],
): Route[] =>
  routes.map((route) =>
    withMembers<Route>(route, {
      problems: [...(route.problems ?? []), problems.runtimeNotReady],
      handle: async (input) => {
        await readiness.require();
        return route.handle(input);
      },
    }),
  );
