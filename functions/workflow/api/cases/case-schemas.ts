import * as z from 'zod';
import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { pageQuery } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { CASE_STATES } from '../../store/cases/case-list.ts';
import {
  count,
  instant,
  keyText,
  optionalBody,
  outcome,
  someVariables,
  tenantCode,
  transientVariables,
  variables,
} from '../schema-parts.ts';

const caseInstanceId = lazy(() => keyText('Id of the case.'));

export const caseParams = lazy(() => z.strictObject({ caseInstanceId: caseInstanceId() }));
export const planItemParams = lazy(() =>
  z.strictObject({
    caseInstanceId: caseInstanceId(),
    planItemDefinitionKey: keyText('Id of the definition of the plan item, else of the plan item.'),
  }),
);
export const variableParams = lazy(() =>
  z.strictObject({
    caseInstanceId: caseInstanceId(),
    name: z.string().min(1).max(255).describe('Name of the variable.'),
  }),
);

export const newCase = lazy(() =>
  z
    .strictObject({
      workflowCode: keyText('Code of a published workflow.').optional(),
      version: z
        .int()
        .min(1)
        .optional()
        .describe('Version of the workflow; the newest by default.'),
      caseDefinitionKey: keyText('Key of a case definition: its newest version.').optional(),
      definitionId: keyText('Id of one version of a case definition.').optional(),
      tenantCode: tenantCode(),
      name: z.string().min(1).max(4_000).optional(),
      businessKey: keyText('Key under which the business knows the case.').optional(),
      businessStatus: z.string().min(1).max(255).optional(),
      entityType: keyText('Type of the business record that the case is about.').optional(),
      entityId: keyText('Id of that record.').optional(),
      variables: someVariables(),
      transientVariables: transientVariables(),
      outcome: outcome(
        'How the form was decided with which it is started; becomes the variable form_<caseDefinitionKey>_outcome.',
      ),
    })
    .refine(
      ({ workflowCode, caseDefinitionKey, definitionId }) =>
        [workflowCode, caseDefinitionKey, definitionId].filter((way) => way !== undefined)
          .length === 1,
      { path: ['workflowCode'], message: 'or caseDefinitionKey or definitionId: exactly one' },
    )
    .refine((body) => (body.entityType === undefined) === (body.entityId === undefined), {
      path: ['entityId'],
      message: 'must come with entityType',
    })
    .refine(({ version, workflowCode }) => version === undefined || workflowCode !== undefined, {
      path: ['version'],
      message: 'is a version of workflowCode, which is missing',
    })
    .meta({ id: 'NewCase' }),
);

export const planItemAction = lazy(() =>
  optionalBody(
    z.strictObject({
      planItemInstanceId: keyText(
        'The instance that is meant, where there are several.',
      ).optional(),
      variables: someVariables(),
      localVariables: variables('Values of the instance itself.').optional(),
      transientVariables: transientVariables(),
      childVariables: variables(
        'Values that the case of a case task begins with, when it is started.',
      ).optional(),
      force: z.boolean().optional().describe('Completes a stage although something in it is open.'),
    }),
  ),
);
const facts = lazy(() =>
  z.strictObject({
    reason: z.string().min(1).max(4_000).optional().describe('Why, for the history.'),
  }),
);
export const caseAction = lazy(() => optionalBody(facts()));
export const completion = lazy(() =>
  optionalBody(
    facts().extend({
      force: z.boolean().optional().describe('Completes the case although something is open.'),
      variables: someVariables(),
    }),
  ),
);
export const reactivation = lazy(() =>
  optionalBody(
    facts().extend({ variables: someVariables(), transientVariables: transientVariables() }),
  ),
);
export const planBody = lazy(() =>
  z.strictObject({
    discretionaryItemId: keyText('Id of an item of a planning table.'),
    containerInstanceId: keyText('Stage or human task instance with the table.').optional(),
    variables: someVariables(),
    transientVariables: transientVariables(),
  }),
);
export const variablesBody = lazy(() =>
  z.strictObject({ variables: variables('Values by name; the others stay.') }),
);
export const variableNames = lazy(() =>
  z.strictObject({
    name: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(100)])
      .transform((names) => (typeof names === 'string' ? [names] : names))
      .describe('Name of a variable; may be repeated.'),
  }),
);
export const signalParams = lazy(() =>
  z.strictObject({ signalName: keyText('Name of the signal.') }),
);
export const signalBody = lazy(() =>
  optionalBody(
    z.strictObject({
      variables: someVariables(),
      caseInstanceId: keyText('The only case that is to hear it.').optional(),
      tenantCode: tenantCode(),
    }),
  ),
);
export const explainQuery = lazy(() =>
  z.strictObject({
    planItemInstanceId: keyText('An instance of the case; the case itself by default.').optional(),
  }),
);

const states = lazy(() => z.enum(CASE_STATES));
export function casesQuery({ web }: Pick<PlatformConfig, 'web'>) {
  return z
    .strictObject({
      ...pageQuery(web),
      state: z
        .union([states(), z.array(states()).min(1)])
        .transform((given) => (typeof given === 'string' ? [given] : [...new Set(given)].sort()))
        .optional()
        .describe('May be repeated.'),
      workflowCode: keyText('Code of the workflow.').optional(),
      businessKey: keyText('Business key.').optional(),
      entityType: keyText('Type of the business record; with entityId.').optional(),
      entityId: keyText('Id of the business record; with entityType.').optional(),
      startedBy: keyText('Id of the user who has started the case.').optional(),
      startedAfter: instant().optional().describe('Started at this instant or later.'),
      startedBefore: instant().optional().describe('Started at this instant or before.'),
      tenantCode: tenantCode(),
      count: count(),
    })
    .refine((query) => (query.entityType === undefined) === (query.entityId === undefined), {
      path: ['entityId'],
      message: 'must come with entityType',
    });
}
export const pageOnly = ({ web }: Pick<PlatformConfig, 'web'>) => z.strictObject(pageQuery(web));
export const planItemsQuery = ({ web }: Pick<PlatformConfig, 'web'>) =>
  z.strictObject({
    ...pageQuery(web),
    ended: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional()
      .describe('Those that have ended instead of those that are open.'),
  });
