import { isKnown, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { MAX_SHOWN } from '../../cases/case-details.ts';
import type { CaseInstances, CaseProgress } from '../../cases/case-progress.ts';
import type { DefinitionService } from '../../definitions/definition-service.ts';
import { problems } from '../../errors.ts';
import * as examples from '../definitions/definition-examples.ts';
import * as schemas from '../definitions/definition-schemas.ts';
import { toSnapshot } from '../definitions/definition-views.ts';
import { CMMN_PATH } from '../paths.ts';
import { snapshot } from './snapshot-schemas.ts';
import { toInstance } from './view-views.ts';

export interface SnapshotRouteServices {
  readonly definitionService: OnDemand<DefinitionService>;
  readonly caseProgress: OnDemand<CaseProgress>;
}

const headers = { etag: 'The content hash of the version, quoted.' };

/** The route that shows a model to clients that draw it. */
export function snapshotRoutes({
  definitionService,
  caseProgress,
}: SnapshotRouteServices): Route[] {
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
      problems: [
        ...[problems.workflowNotFound, problems.caseNotInDefinition, problems.caseNotFound],
        ...[httpProblems.forbidden, httpProblems.concurrentUpdate],
      ],
      whenTooLarge: 'Download the model by /definitions/{workflowCode}/versions/{version}/xml.',
      handle: async ({
        params,
        query: { caseDefinitionKey, caseInstanceId, ...query },
        headers: sent,
        principal,
      }) => {
        const { workflowCode } = params;
        const shown =
          caseInstanceId === undefined
            ? undefined
            : await caseProgress.instancesFor(caseInstanceId, principal);
        if (shown && shown.head.workflowCode !== workflowCode) {
          throw problems.caseNotFound({ reason: `${workflowCode} has no case ${caseInstanceId}.` });
        }
        const { definitionVersion: version, caseDefinitionKey: key } = shown?.head ?? {};
        const request = { version, ...params, ...query };
        const found = await definitionService.snapshot(
          request,
          caseDefinitionKey ?? key,
          principal,
        );
        const hash = found.deployed.contentHash;
        const etag = shown ? `"${hash}.${shown.revision}"` : `"${hash}"`;
        if (isKnown(sent['if-none-match'], etag)) return { status: 304, headers: { etag } };
        const snapshotView = toSnapshot(found);
        return ok(shown ? withInstances(snapshotView, shown) : snapshotView, { etag });
      },
    }),
  ];
}

/** A model with the first instances of a case beside its plan items. */
function withInstances(
  model: ReturnType<typeof toSnapshot>,
  { instances, isTruncated }: CaseInstances,
) {
  const listed = Map.groupBy(instances.slice(0, MAX_SHOWN), ({ planItemId }) => planItemId);
  return {
    ...model,
    planItems: model.planItems.map((item) => ({
      ...item,
      instances: (listed.get(item.id) ?? []).map(toInstance),
    })),
    truncated: isTruncated || instances.length > MAX_SHOWN,
  };
}
