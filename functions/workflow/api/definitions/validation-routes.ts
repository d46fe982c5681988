import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { ModelCheck } from '../../definitions/model-check.ts';
import { workingTenant } from '../../definitions/tenancy.ts';
import { CMMN_PATH } from '../paths.ts';
import * as examples from './definition-examples.ts';
import * as schemas from './model-schemas.ts';

export interface ValidationRouteServices {
  readonly modelCheck: OnDemand<ModelCheck>;
}

/** The route that checks a model. */
export function validationRoutes({ modelCheck }: ValidationRouteServices): Route[] {
  return [
    route({
      operationId: 'validateCmmn',
      method: 'POST',
      path: `${CMMN_PATH}/validate`,
      summary: 'Checks a CMMN model; nothing is stored',
      description:
        'The model is sent as `xml` of a JSON object, or directly with the content type application/xml. The answer is 200 and lists the problems of the model. With workflowCode the call also checks that the code is free, or belongs to a case of the document.',
      tag: 'Workflow definitions',
      access: permission('workflow:definition', 'view'),
      body: schemas.validateBody,
      bodyExample: { xml: examples.xml },
      bodyExamples: { 'application/xml': examples.xml, 'text/xml': examples.xml },
      consumes: ['application/json', 'application/xml', 'text/xml'],
      maxBodyBytes: schemas.MAX_MODEL_BODY_BYTES,
      responses: {
        200: {
          description: 'What is right and wrong with the model',
          schema: schemas.modelReport,
          example: examples.modelReport,
        },
      },
      handle: async ({ body: { xml, workflowCode, tenantCode }, principal }) => {
        const tenant = workingTenant(principal, tenantCode);
        return ok(await modelCheck.check(xml, { workflowCode, tenantCode: tenant }));
      },
    }),
  ];
}
