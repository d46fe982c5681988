import * as z from 'zod';
import { defineSection, error } from '../../shared/config/section.ts';
import { flag, milliseconds } from '../../shared/config/values.ts';

const DAY_MS = 86_400_000;

const schema = z.strictObject({
  enabled: flag(true, 'Switches the workflow module on.'),
  'bpmn-endpoints-enabled': flag(
    false,
    'Registers /api/v1/process-instance/** and /api/v1/preview/**.',
  ),
  'deployment-compensation-retry-ms': milliseconds(1_000, DAY_MS)
    .default(60_000)
    .describe('Pause between retries of the deployment compensation task (ms).'),
});

/** `svc.workflow`. */
export const workflowSection = defineSection({
  name: 'workflow',
  schema,
  rules: [
    (workflow) =>
      workflow.bpmnEndpointsEnabled &&
      !workflow.enabled &&
      error(
        'WORKFLOW_DISABLED',
        'svc.workflow.bpmn-endpoints-enabled',
        'needs svc.workflow.enabled=true',
      ),
  ],
});
