import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import { problems } from '../../errors.ts';
import { PREVIEW_PATH } from '../../paths.ts';
import type { ProcessServiceCalls } from '../../processes/services.ts';
import * as answers from './process-answers.ts';
import * as examples from './process-examples.ts';
import * as schemas from './process-schemas.ts';

const common = {
  method: 'POST' as const,
  tag: 'Processes',
  access: permission('workflow:process', 'view'),
  maxBodyBytes: schemas.MAX_MODEL_BODY_BYTES,
};

/** Routes that try documents; nothing is stored. */
export function previewRoutes({
  definitions,
  documents,
  simulation,
}: ProcessServiceCalls): Route[] {
  return [
    route({
      operationId: 'validateProcess',
      path: `${PREVIEW_PATH}/validate`,
      summary: 'Checks a process by the rules of a deployment',
      ...common,
      body: schemas.document,
      bodyExample: { xml: examples.xml },
      responses: {
        200: {
          description: 'What is right and wrong with the document',
          schema: answers.modelReport,
          example: examples.report,
        },
      },
      handle: async ({ body }) => {
        const { model: _, ...report } = await documents.check(body.xml);
        return ok(report);
      },
    }),
    route({
      operationId: 'previewProcess',
      path: `${PREVIEW_PATH}/definition`,
      summary: 'Shows the elements and flows of a process',
      ...common,
      body: schemas.document,
      bodyExample: { xml: examples.xml },
      responses: {
        200: {
          description: 'Elements and flows, for viewers',
          schema: answers.modelView,
          example: examples.drawing,
        },
      },
      problems: [problems.modelInvalid],
      handle: async ({ body }) => ok(await simulation.drawing(body.xml)),
    }),
    route({
      operationId: 'previewDeployedProcess',
      ...common,
      method: 'GET',
      maxBodyBytes: undefined,
      path: `${PREVIEW_PATH}/definition/{code}`,
      summary: 'Shows the elements and flows of the newest version of a process',
      params: schemas.codeParams,
      query: schemas.tenantQuery,
      responses: {
        200: {
          description: 'Elements and flows, for viewers',
          schema: answers.modelView,
          example: examples.drawing,
        },
      },
      problems: [problems.processDefinitionNotFound],
      handle: async ({ params, query, principal }) => {
        const found = await definitions.get(params.code, query.tenantCode, undefined, principal);
        return ok(await simulation.drawn(await definitions.model(found.definitionId)));
      },
    }),
    route({
      operationId: 'simulateProcess',
      path: `${PREVIEW_PATH}/simulate`,
      summary: 'Simulates a process in memory',
      description:
        'Tasks, messages, signals and timers continue at once, in the order in which they began to wait, with the given decisions; at most 1 000 steps and 5 s.',
      ...common,
      body: schemas.simulation,
      bodyExample: examples.simulation,
      responses: {
        200: {
          description: 'What was taken, and what waits',
          schema: answers.simulated,
          example: examples.simulated,
        },
      },
      problems: [problems.modelInvalid],
      handle: async ({ body, principal }) => ok(await simulation.simulate(body, principal)),
    }),
  ];
}
