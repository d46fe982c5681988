import * as z from 'zod';
import { filePart } from '../../../../shared/http/form.ts';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { JOB_STATES } from '../../../../shared/jobs/job.ts';
import { parseDuration } from '../../../../shared/primitives/duration.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { utf8Text } from './utf8-text.ts';

/** Largest request body of the function. */
export const MAX_MODEL_BODY_BYTES = 4_500_000;
const MAX_RESOURCES = 20;
const MAX_TASK_VARIABLES = 5;
const DAY_MS = 86_400_000;
const TEN_YEARS_MS = 3_653 * DAY_MS;

const xml = lazy(() =>
  z
    .string({ error: 'must be a CMMN 1.1 document as text in UTF-8' })
    .min(1)
    .describe('CMMN 1.1 document, at most 1 MiB.'),
);

export const validateBody = lazy(() =>
  z.preprocess(
    (sent) => (sent instanceof Uint8Array ? { xml: utf8Text(sent) } : sent),
    z.strictObject({ xml: xml() }),
  ),
);

const workflowCode = lazy(() =>
  z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9._-]{0,99}$/,
      'must begin with a letter and have at most 100 letters, digits, ., _ and -',
    )
    .describe('Code of the workflow.'),
);
const tenantCode = lazy(() =>
  z
    .string()
    .regex(/^[!-~]{0,100}$/, 'must have at most 100 printable ASCII characters and no blank')
    .describe("Tenant; empty: of none, for all. Left out: the caller's."),
);
const versionNumber = lazy(() =>
  z
    .string()
    .regex(/^[1-9]\d{0,7}$/, 'must be a number from 1')
    .transform(Number),
);
const caseKey = lazy(() => z.string().min(1).max(255).describe('Id of a case of the document.'));
const resourceName = lazy(() =>
  z.string().regex(/^[^/\\]{1,200}$/, 'must be a name of at most 200 characters without slashes'),
);
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
      .describe('Decision tables (DMN) and further cases that come along, by their file names.'),
  }),
);

export const codeParams = lazy(() => z.strictObject({ workflowCode: workflowCode() }));
export const versionParams = lazy(() =>
  z.strictObject({ workflowCode: workflowCode(), version: versionNumber() }),
);
export const deploymentParams = lazy(() => z.strictObject({ deploymentId: z.uuid() }));
export const tenantQuery = lazy(() => z.strictObject({ tenantCode: tenantCode().optional() }));
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
export const xmlQuery = lazy(() =>
  z.strictObject({
    tenantCode: tenantCode().optional(),
    resource: resourceName()
      .optional()
      .describe('A document that came along; left out: the model.'),
  }),
);
export const snapshotQuery = lazy(() =>
  z.strictObject({
    tenantCode: tenantCode().optional(),
    version: versionNumber().optional().describe('Left out: the one that is started.'),
    caseDefinitionKey: caseKey().optional().describe('Left out: the main case.'),
    caseInstanceId: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('A case of the workflow: its version, with the instances of its plan items.'),
  }),
);
export const publishBody = lazy(() =>
  z
    .strictObject({
      version: z.int().min(1).max(99_999_999).optional(),
      tenantCode: tenantCode().optional(),
    })
    .optional(),
);
export const tenantPageQuery = (web: PageLimits) =>
  z.strictObject({ ...pageQuery(web), tenantCode: tenantCode().optional() });
export const definitionListQuery = (web: PageLimits) =>
  z
    .strictObject({
      ...pageQuery(web),
      tenantCode: tenantCode().optional(),
      q: z.string().min(1).max(100).optional().describe('Part of the code or name.'),
      all: z
        .enum(['true', 'false'])
        .default('false')
        .transform((text) => text === 'true')
        .describe(
          'true: every version of the tenant, newest first, instead of one of each workflow.',
        ),
    })
    .refine(({ all, q }) => !all || q === undefined, {
      path: ['q'],
      message: 'cannot be combined with all=true',
    })
    .refine(({ all, cursor }) => all || cursor === undefined, {
      path: ['cursor'],
      message: 'is given by lists with all=true; use page',
    });

const modelProblem = lazy(() =>
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

const instant = lazy(() => z.iso.datetime({ precision: 3 }));

const versionMembers = lazy(() => ({
  workflowCode: z.string(),
  tenantCode: z.string().describe('Empty: of no tenant, for all.'),
  version: z.int().min(1),
  deploymentId: z.string(),
  status: z.enum(['PUBLISHED', 'DRAFT']).describe('PUBLISHED: cases can be started.'),
  caseDefinitionKey: z.string().describe('The main case, which the code starts.'),
  name: z.string().nullable(),
  category: z.string().nullable(),
  caseDefinitions: z.array(
    z.object({
      id: z.string(),
      key: z.string(),
      name: z.string().optional(),
      version: z.int().min(1),
    }),
  ),
  decisions: z.array(z.string()).describe('Keys of the decision tables that came along.'),
  resources: z.array(z.string()).describe('Names of the documents that came along.'),
  taskVariables: z.array(z.string()),
  historyRetentionMs: z.int().nullable(),
  uniqueBusinessKey: z.boolean(),
  contentHash: z.string().describe('SHA-256 of all that was deployed, in hexadecimal.'),
  deployedAt: instant(),
  deployedBy: z.string(),
  publishedAt: instant().nullable(),
}));

export const version = lazy(() =>
  z
    .object({
      ...versionMembers(),
      publishedVersion: z
        .int()
        .min(1)
        .nullable()
        .describe('The version of the workflow that is started.'),
    })
    .meta({ id: 'WorkflowVersion' }),
);
export const versionPage = lazy(() => pageSchema(version(), 'WorkflowVersionPage'));
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
