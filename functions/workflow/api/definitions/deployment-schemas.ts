import * as z from 'zod';
import { filePart } from '../../../../shared/http/form.ts';
import { pageSchema } from '../../../../shared/http/paging.ts';
import { JOB_STATES } from '../../../../shared/jobs/job.ts';
import { parseDuration } from '../../../../shared/primitives/duration.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import {
  caseKey,
  resourceName,
  tenantCode,
  versionMembers,
  workflowCode,
} from './definition-schemas.ts';
import { MAX_MODEL_BODY_BYTES, modelProblem, xml } from './model-schemas.ts';

const MAX_RESOURCES = 20;
const MAX_TASK_VARIABLES = 5;
const DAY_MS = 86_400_000;
const TEN_YEARS_MS = 3_653 * DAY_MS;

const historyRetention = lazy(() =>
  z
    .string()
    .refine(
      (text) => isWithin(parseDuration(text), DAY_MS, TEN_YEARS_MS),
      'must be a duration from 1 day to 10 years, such as 90d or P90D',
    )
    .transform((text) => parseDuration(text))
    .describe('How long ended cases stay, such as P90D; left out: svc.workflow.history-retention.'),
);
const taskVariables = lazy(() =>
  z
    .array(
      z
        .string()
        .regex(
          /^[\p{L}_$][\p{L}\p{N}_$]{0,63}$/u,
          'must be the name of a variable of at most 64 characters',
        ),
    )
    .max(MAX_TASK_VARIABLES)
    .refine((names) => new Set(names).size === names.length, 'must not name a variable twice')
    .describe('Up to five case variables that task lists show and filter by.'),
);

const isWithin = (value: number | undefined, min: number, max: number): boolean =>
  value !== undefined && value >= min && value <= max;

/** Members that both forms of a deployment have. */
const deploymentMembers = lazy(() => ({
  workflowCode: workflowCode(),
  name: z.string().min(1).max(255).optional().describe('Left out: the name of the main case.'),
  tenantCode: tenantCode().optional(),
  caseDefinitionKey: caseKey().optional().describe('The main case; left out: the first.'),
  category: z.string().min(1).max(100).optional(),
  historyRetention: historyRetention().optional(),
}));

export const deployBody = lazy(() =>
  z.strictObject({
    ...deploymentMembers(),
    xml: xml(),
    publish: z.boolean().default(true).describe('false: a draft, of which no case is started.'),
    skipIfUnchanged: z
      .boolean()
      .default(true)
      .describe('false: a new version even when the newest is the same.'),
    taskVariables: taskVariables().default([]),
    uniqueBusinessKey: z
      .boolean()
      .default(false)
      .describe('No two open cases of the workflow have the same business key.'),
    resources: z
      .array(z.strictObject({ name: resourceName(), xml: z.string().min(1) }))
      .max(MAX_RESOURCES)
      .refine(
        (given) => new Set(given.map(({ name }) => name)).size === given.length,
        'must not have the same name twice',
      )
      .default([])
      .describe('Decision tables (DMN) and further cases that come along.'),
  }),
);

/** A flag as the text of a form. */
const flagText = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true');

const modelFile = lazy(() => filePart({ maxBytes: MAX_MODEL_BODY_BYTES }));

export const deployForm = lazy(() =>
  z.strictObject({
    ...deploymentMembers(),
    file: modelFile().describe('CMMN 1.1 document, at most 1 MiB.'),
    publish: flagText(true),
    skipIfUnchanged: flagText(true),
    taskVariables: z
      .preprocess(
        (sent) => (typeof sent === 'string' ? sent.split(',').map((name) => name.trim()) : sent),
        taskVariables(),
      )
      .default([]),
    uniqueBusinessKey: flagText(false),
    resources: z
      .preprocess(
        (sent) => (Array.isArray(sent) ? sent : [sent]),
        z.array(modelFile()).max(MAX_RESOURCES),
      )
      .optional()
      .describe('Decision tables (DMN) and further cases of the deployment, by their file names.'),
  }),
);

export const deploymentParams = lazy(() => z.strictObject({ deploymentId: z.uuid() }));
export const deploymentDeletionQuery = lazy(() =>
  z.strictObject({
    tenantCode: tenantCode().optional(),
    cascade: z
      .enum(['', 'true', 'false'])
      .default('false')
      .transform((text) => text !== 'false')
      .describe('true, or without a value: its cases are ended and deleted first.'),
  }),
);
export const deploymentJobParams = lazy(() =>
  z.strictObject({ deploymentId: z.uuid(), jobId: z.uuid() }),
);
export const deploymentJob = lazy(() =>
  z
    .object({
      id: z.string(),
      kind: z.enum(['DELETE']),
      state: z.enum(JOB_STATES),
      processed: z.int().describe('Cases that are deleted.'),
      total: z.int().nullable().describe('Cases that there were to delete, once they are counted.'),
      result: z.looseObject({}).describe('code and detail say why a job has failed.'),
      createdAt: z.iso.datetime(),
      updatedAt: z.iso.datetime(),
    })
    .meta({ id: 'DeploymentJob' }),
);

export const deployment = lazy(() =>
  z
    .object({ ...versionMembers(), warnings: z.array(modelProblem()) })
    .meta({ id: 'WorkflowDeployment' }),
);
export const deploymentOutcome = lazy(() =>
  z
    .object({
      ...versionMembers(),
      warnings: z.array(modelProblem()),
      unchanged: z.boolean().describe('The newest version was the same already.'),
    })
    .meta({ id: 'WorkflowDeploymentOutcome' }),
);
export const deploymentPage = lazy(() =>
  pageSchema(z.object(versionMembers()).meta({ id: 'WorkflowDeployed' }), 'WorkflowDeploymentPage'),
);
