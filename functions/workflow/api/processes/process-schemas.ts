import * as z from 'zod';
import type { PlatformConfig } from '../../../../shared/config/index.ts';
import { pageQuery } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { PROCESS_STATES } from '../../domain/processes/process-head.ts';
import { keyText, tenantCode, variables } from '../schema-parts.ts';

/** Largest body with a document. */
export const MAX_MODEL_BODY_BYTES = 4_500_000;

const xml = lazy(() => z.string().min(1).describe('BPMN 2.0 document, at most 1 MiB.'));
const code = lazy(() =>
  z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9._-]{0,99}$/,
      'must begin with a letter and have at most 100 letters, digits, ., _ and -',
    )
    .describe('Code of the process.'),
);
const versionNumber = lazy(() =>
  z
    .string()
    .regex(/^[1-9]\d{0,7}$/, 'must be a number from 1')
    .transform(Number),
);
const payload = lazy(() =>
  variables('Variables of the process that are set before it goes on.').optional(),
);
const executionId = lazy(() =>
  keyText('Which execution, where several wait for the same.').optional(),
);

export const codeParams = lazy(() => z.strictObject({ code: code() }));
export const versionParams = lazy(() => z.strictObject({ code: code(), version: versionNumber() }));
export const tenantQuery = lazy(() => z.strictObject({ tenantCode: tenantCode() }));
export const definitionsQuery = ({ web }: Pick<PlatformConfig, 'web'>) =>
  z.strictObject({ ...pageQuery(web), tenantCode: tenantCode() });
export const pageOnly = ({ web }: Pick<PlatformConfig, 'web'>) => z.strictObject(pageQuery(web));

export const newDefinition = lazy(() =>
  z.strictObject({
    code: code().optional().describe('Code of the process; its key when left out.'),
    xml: xml(),
    tenantCode: tenantCode(),
  }),
);
export const newProcess = lazy(() =>
  z
    .strictObject({
      workflowCode: keyText('Code of a process.').optional(),
      processKey: keyText('Id of the process in its document.').optional(),
      version: z.int().min(1).max(99_999_999).optional().describe('The newest by default.'),
      tenantCode: tenantCode(),
      name: z.string().min(1).max(4_000).optional(),
      businessKey: keyText('Key of the caller.').optional(),
      entityType: keyText('Type of the business record.').optional(),
      entityId: keyText('Id of the business record.').optional(),
      variables: variables('Variables to begin with.').optional(),
    })
    .refine(
      ({ workflowCode, processKey }) => (workflowCode === undefined) !== (processKey === undefined),
      {
        path: ['workflowCode'],
        message: 'needs exactly one of workflowCode and processKey',
      },
    )
    .refine(({ entityType, entityId }) => (entityType === undefined) === (entityId === undefined), {
      path: ['entityId'],
      message: 'goes together with entityType',
    }),
);
export const processParams = lazy(() =>
  z.strictObject({ processInstanceId: keyText('Id of the process instance.') }),
);
export const processesQuery = ({ web }: Pick<PlatformConfig, 'web'>) =>
  z.strictObject({
    ...pageQuery(web),
    state: z.enum(PROCESS_STATES).default('waiting'),
    workflowCode: keyText('Code of a process.').optional(),
    businessKey: keyText('Key of the caller.').optional(),
    tenantCode: tenantCode(),
  });
export const signal = lazy(() =>
  z
    .strictObject({
      activityId: keyText('Activity that waits for a message or signal.').optional(),
      signalName: keyText('Name of a signal.').optional(),
      executionId: executionId(),
      payload: payload(),
    })
    .refine(
      ({ activityId, signalName }) => (activityId === undefined) !== (signalName === undefined),
      {
        path: ['activityId'],
        message: 'needs exactly one of activityId and signalName',
      },
    ),
);
export const message = lazy(() =>
  z.strictObject({
    messageName: keyText('Name of the message.'),
    executionId: executionId(),
    payload: payload(),
  }),
);
export const changedVariables = lazy(() => variables('Variables to set; the others stay.'));
export const termination = lazy(() =>
  z.strictObject({ reason: z.string().min(1).max(1_000).optional() }),
);
export const nothing = lazy(() => z.strictObject({}));
export const document = lazy(() => z.strictObject({ xml: xml() }));
export const simulation = lazy(() =>
  z.strictObject({
    xml: xml(),
    variables: variables('Variables to begin with.').optional(),
    decisions: z
      .record(z.string(), variables('Variables that the activity sets.'))
      .optional()
      .describe('Variables that user tasks and events set, by activity; others set none.'),
    stopAt: z
      .array(z.string().min(1).max(255))
      .max(100)
      .optional()
      .describe('Activities that are left waiting.'),
  }),
);
