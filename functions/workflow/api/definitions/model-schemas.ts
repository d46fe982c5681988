import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { tenantCode, workflowCode } from './definition-schemas.ts';
import { utf8Text } from './utf8-text.ts';

/** Largest request body of the function. */
export const MAX_MODEL_BODY_BYTES = 4_500_000;

export const xml = lazy(() =>
  z
    .string({ error: 'must be a CMMN 1.1 document as text in UTF-8' })
    .min(1)
    .describe('CMMN 1.1 document, at most 1 MiB.'),
);

export const validateBody = lazy(() =>
  z.preprocess(
    (sent) => (sent instanceof Uint8Array ? { xml: utf8Text(sent) } : sent),
    z.strictObject({
      xml: xml(),
      workflowCode: workflowCode().optional(),
      tenantCode: tenantCode().optional(),
    }),
  ),
);

export const modelProblem = lazy(() =>
  z
    .object({
      code: z.string().describe('Stable code of the rule.'),
      severity: z.enum(['ERROR', 'WARNING', 'INFO']),
      message: z.string(),
      elementId: z.string().optional(),
      elementType: z.string().optional(),
      elementName: z.string().optional(),
      caseDefinitionKey: z.string().optional(),
      line: z.int().min(1).optional(),
      column: z.int().min(1).optional(),
    })
    .meta({ id: 'WorkflowModelProblem' }),
);

export const modelReport = lazy(() =>
  z
    .object({
      valid: z.boolean().describe('The model can be deployed: it has no errors.'),
      errors: z.array(modelProblem()),
      warnings: z.array(modelProblem()),
      infos: z.array(modelProblem()),
      caseDefinitions: z
        .array(z.object({ key: z.string(), name: z.string().optional() }))
        .describe('The cases of the document, in its order.'),
    })
    .meta({ id: 'WorkflowModelReport' }),
);
