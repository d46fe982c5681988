import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { toPage } from '../../../../shared/http/paging.ts';
import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { problems } from '../../errors.ts';
import { SOURCES_PATH } from '../../paths.ts';
import type { RunReader } from '../../sources/run-reader.ts';
import * as examples from './run-examples.ts';
import * as schemas from './run-schemas.ts';
import { toHistory, toRecord } from './run-views.ts';

export interface RunRouteServices {
  readonly runs: OnDemand<RunReader>;
}

const TAG = 'Synchronisation';
const access = permission('identity:sync');

/** Routes of the runs of sources. */
export function runRoutes(
  { runs }: RunRouteServices,
  { web }: Pick<PlatformConfig, 'web'>,
): Route[] {
  return [
    route({
      operationId: 'listIdentitySyncHistory',
      method: 'GET',
      path: `${SOURCES_PATH}/sync/history_list`,
      summary: 'Lists the runs of a source, the newest first',
      tag: TAG,
      access,
      query: () => schemas.historyQuery(web),
      responses: {
        200: {
          description: 'A page of runs',
          schema: schemas.historyPage,
          example: examples.historyPage,
        },
      },
      problems: [problems.sourceNotFound],
      handle: async ({ query, principal }) => {
        const page = await runs.histories(query, principal);
        return ok(toPage({ ...page, content: page.content.map(toHistory) }));
      },
    }),
    route({
      operationId: 'listIdentitySyncRecords',
      method: 'GET',
      path: `${SOURCES_PATH}/sync/record_list`,
      summary: 'Lists what a run did with each object; unchanged ones have no record',
      tag: TAG,
      access,
      query: () => schemas.recordQuery(web),
      responses: {
        200: {
          description: 'A page of records',
          schema: schemas.recordPage,
          example: examples.recordPage,
        },
      },
      problems: [problems.runNotFound],
      handle: async ({ query, principal }) => {
        const page = await runs.records(query, principal);
        return ok(toPage({ ...page, content: page.content.map(toRecord) }));
      },
    }),
  ];
}
