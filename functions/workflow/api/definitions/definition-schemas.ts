import * as z from 'zod';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';

export const workflowCode = lazy(() =>
  z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9._-]{0,99}$/,
      'must begin with a letter and have at most 100 letters, digits, ., _ and -',
    )
    .describe('Code of the workflow.'),
);
export const tenantCode = lazy(() =>
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
export const caseKey = lazy(() =>
  z.string().min(1).max(255).describe('Id of a case of the document.'),
);
export const resourceName = lazy(() =>
  z.string().regex(/^[^/\\]{1,200}$/, 'must be a name of at most 200 characters without slashes'),
);
export const codeParams = lazy(() => z.strictObject({ workflowCode: workflowCode() }));
export const versionParams = lazy(() =>
  z.strictObject({ workflowCode: workflowCode(), version: versionNumber() }),
);
export const tenantQuery = lazy(() => z.strictObject({ tenantCode: tenantCode().optional() }));
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
    });

const instant = lazy(() => z.iso.datetime({ precision: 3 }));

export const versionMembers = lazy(() => ({
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
  processDefinitions: z
    .array(z.object({ key: z.string(), workflowCode: z.string(), version: z.int().min(1) }))
    .describe('Versions of processes that came along (BPMN 2.0).'),
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
