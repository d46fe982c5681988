import { ok } from '../../../../shared/http/reply.ts';
import { capability, permission, type Route, route } from '../../../../shared/http/route.ts';
import { pageHeaders } from '../../../../shared/pages/page-shell.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { problems } from '../../errors.ts';
import { SOURCES_PATH } from '../../paths.ts';
import type { RunReader } from '../../sources/run-reader.ts';
import { toHistory } from '../runs/run-views.ts';
import { batchParams } from './control-schemas.ts';
import { runPage, VIEW_SUFFIX } from './run-page.ts';
import { run, runExample } from './run-schemas.ts';

export interface OneRunRouteServices {
  readonly runs: OnDemand<RunReader>;
}

const TAG = 'Synchronisation';
const PATH = `${SOURCES_PATH}/sync/run/{batch}`;

/** Routes of one run. */
export const oneRunRoutes = ({ runs }: OneRunRouteServices): Route[] => [
  route({
    operationId: 'getIdentitySyncRun',
    method: 'GET',
    path: PATH,
    summary: 'Reads a run: how far it is, its plan, and what it did',
    tag: TAG,
    access: permission('identity:sync'),
    params: batchParams,
    responses: { 200: { description: 'The run', schema: run, example: runExample } },
    problems: [problems.runNotFound],
    handle: async ({ params, principal }) => {
      const { histories, ...found } = await runs.run(params.batch, principal);
      return ok({ ...found, histories: histories.map(toHistory) });
    },
  }),
  route({
    operationId: 'showIdentitySyncRun',
    method: 'GET',
    path: `${PATH}${VIEW_SUFFIX}`,
    summary: 'Follows a run as a page',
    description:
      'The page holds no data. Link to it with the token of a person in the fragment, `#token=...`: browsers do not send the fragment, and the page reads the run with the token.',
    tag: TAG,
    access: capability,
    lenient: true,
    params: batchParams,
    responses: {
      200: { description: 'The page', contentType: 'text/html', headers: pageHeaders },
    },
    handle: async () => runPage(),
  }),
];
