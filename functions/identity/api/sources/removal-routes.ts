import * as z from 'zod';
import { noContent } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { problems } from '../../errors.ts';
import { SOURCES_PATH } from '../../paths.ts';
import type { SourceRemoval } from '../../sources/source-removal.ts';
import { sourceParams } from './source-schemas.ts';

export interface RemovalRouteServices {
  readonly removal: OnDemand<SourceRemoval>;
}

const removalQuery = lazy(() =>
  z.strictObject({
    accounts: z
      .enum(['keep'])
      .default('keep')
      .describe('What becomes of the accounts and departments of the source: they stay.'),
  }),
);

/** The route that deletes sources. */
export const removalRoutes = ({ removal }: RemovalRouteServices): Route[] => [
  route({
    operationId: 'deleteIdentitySource',
    method: 'DELETE',
    path: `${SOURCES_PATH}/delete/{id}`,
    summary: 'Deletes a source that is disabled; its accounts stay',
    access: permission('identity:source'),
    params: sourceParams,
    query: removalQuery,
    responses: { 204: { description: 'The source is deleted' } },
    problems: [problems.sourceNotFound, problems.sourceEnabled, problems.syncInProgress],
    handle: async ({ params, principal }) => {
      await removal.delete(params.id, principal);
      return noContent();
    },
  }),
];
