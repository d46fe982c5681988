import { isKnown, ok } from '../../../../shared/http/reply.ts';
import { capability, permission, type Route, route } from '../../../../shared/http/route.ts';
import { pageHeaders } from '../../../../shared/pages/page-shell.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { CaseProgress } from '../../cases/case-progress.ts';
import { problems } from '../../errors.ts';
import { caseParams } from '../cases/case-schemas.ts';
import { CASES_PATH, CASES_TAG } from '../cases/paths.ts';
import { casePage, VIEW_SUFFIX } from './case-page.ts';
import * as examples from './view-examples.ts';
import * as schemas from './view-schemas.ts';
import { toProgress } from './view-views.ts';

export interface ViewRouteServices {
  readonly caseProgress: OnDemand<CaseProgress>;
}

const etagOf = (text: string): string => `"${text.replace(/[^!#-~]/g, '_')}"`;

/** Routes that draw a case: the page, and what it reads. */
export function viewRoutes({ caseProgress: progress }: ViewRouteServices): Route[] {
  const access = permission('workflow:case');
  const headers = { etag: 'Send it back in If-None-Match.' };
  const unchanged = { description: 'Unchanged', headers };
  const common = { tag: CASES_TAG, access, params: caseParams } as const;
  return [
    route({
      operationId: 'showCase',
      method: 'GET',
      path: `${CASES_PATH}/{caseInstanceId}${VIEW_SUFFIX}`,
      summary: 'Shows a case as a page: its diagram, timeline and why it waits',
      description:
        'The page holds no data. Link to it with the token of a person in the fragment, `#token=...`: browsers do not send the fragment, and the page reads the case with the token.',
      tag: CASES_TAG,
      access: capability,
      lenient: true,
      params: caseParams,
      responses: {
        200: { description: 'The page', contentType: 'text/html', headers: pageHeaders },
      },
      handle: async () => casePage(),
    }),
    route({
      operationId: 'getCaseModel',
      method: 'GET',
      path: `${CASES_PATH}/{caseInstanceId}/model`,
      summary: 'Reads the model that a case runs on, with its drawings',
      description: 'Also when its version has been deleted since. It never changes.',
      ...common,
      responses: {
        200: {
          description: 'The model',
          schema: schemas.caseModel,
          headers,
          example: examples.model,
        },
        304: unchanged,
      },
      problems: [
        problems.caseNotFound,
        problems.caseNotInDefinition,
        httpProblems.concurrentUpdate,
      ],
      whenTooLarge: 'Download the model by /definitions/{workflowCode}/versions/{version}/xml.',
      handle: async ({ params, principal, headers: sent }) => {
        const found = await progress.model(params.caseInstanceId, principal);
        const { definitionId, planModelId, snapshot, diagrams } = found;
        const etag = etagOf(definitionId);
        if (isKnown(sent['if-none-match'], etag)) return { status: 304, headers: { etag } };
        const { key: caseDefinitionKey, name = null, ...model } = snapshot;
        return ok({ caseDefinitionKey, name, planModelId, ...model, diagrams }, { etag });
      },
    }),
    route({
      operationId: 'getCaseProgress',
      method: 'GET',
      path: `${CASES_PATH}/{caseInstanceId}/progress`,
      summary: 'Reads how far a case has come: the states of its plan items',
      description:
        'Costs one query when If-None-Match has the entity tag of the last answer and nothing has changed.',
      ...common,
      responses: {
        200: {
          description: 'The progress',
          schema: schemas.caseProgress,
          headers,
          example: examples.progress,
        },
        304: unchanged,
      },
      problems: [problems.caseNotFound, httpProblems.concurrentUpdate],
      handle: async ({ params, principal, headers: sent }) => {
        const given = sent['if-none-match'];
        const found = await progress.instances(params.caseInstanceId, principal, (revision) =>
          isKnown(given, etagOf(revision)),
        );
        const etag = etagOf(found.revision);
        if (!found.instances) return { status: 304, headers: { etag } };
        return ok(toProgress(found), { etag });
      },
    }),
  ];
}
