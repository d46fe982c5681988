import { ok } from '../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../shared/http/route.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import type { DefinitionService } from '../definitions/definition-service.ts';
import { problems } from '../errors.ts';
import * as examples from './definition-examples.ts';
import * as schemas from './definition-schemas.ts';
import { toSnapshot } from './definition-views.ts';
import { CMMN_PATH } from './paths.ts';
import { snapshot } from './snapshot-schemas.ts';

export interface SnapshotRouteServices {
  readonly definitionService: OnDemand<DefinitionService>;
}

const headers = { etag: 'The content hash of the version, quoted.' };

/** The route that shows a model to clients that draw it. */
export function snapshotRoutes({ definitionService }: SnapshotRouteServices): Route[] {
  return [
    route({
      operationId: 'getWorkflowSnapshot',
      method: 'GET',
      path: `${CMMN_PATH}/snapshots/{workflowCode}`,
      summary: 'Reads a model as XML, as a flat list of plan items and sentries, and its drawings',
      description: 'Of the version that is started, or of the one that is named.',
      tag: 'Workflow definitions',
      access: permission('workflow:definition'),
      params: schemas.codeParams,
      query: schemas.snapshotQuery,
      responses: {
        200: { description: 'The model', schema: snapshot, headers, example: examples.snapshot },
        304: { description: 'Unchanged', headers },
      },
      problems: [problems.workflowNotFound, problems.caseNotInDefinition],
      whenTooLarge: 'Download the model by /definitions/{workflowCode}/versions/{version}/xml.',
      handle: async ({
        params,
        query: { caseDefinitionKey, ...query },
        headers: sent,
        principal,
      }) => {
        const request = { ...params, ...query };
        const found = await definitionService.snapshot(request, caseDefinitionKey, principal);
        const etag = `"${found.deployed.contentHash}"`;
        if (isKnown(sent['if-none-match'], etag)) return { status: 304, headers: { etag } };
        return ok(toSnapshot(found), { etag });
      },
    }),
  ];
}

/** @see RFC 9110, section 13.1.2: the comparison is weak */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((part) => part.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
