import * as z from 'zod';
import type { PlatformConfig } from '../../shared/config/index.ts';
import { type ConfigOf, defineSection, error, warning } from '../../shared/config/section.ts';
import { flag, milliseconds, textList } from '../../shared/config/values.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TEN_YEARS_MS = 3_653 * DAY_MS;
/** A name of an event, `*` for any end of it; `!` before it leaves it out. */
const EVENT_PATTERN = /^!?(?:\*|workflow(?:\.[a-z-]+)*(?:\.\*)?)$/;

/** All but those that tell of every start, offer and end of a plan item. */
const DEFAULT_EVENTS = [
  '*',
  '!workflow.step.started',
  '!workflow.step.enabled',
  '!workflow.step.terminated',
];

const schema = () =>
  z.strictObject({
    enabled: flag(
      true,
      'Switches the workflow module on; false leaves no function, no route and no schedule.',
    ),
    'bpmn-endpoints-enabled': flag(
      false,
      'Registers /api/v1/process-instance/** and /api/v1/preview/**.',
    ),
    'deployment-compensation-retry-ms': milliseconds(1_000, DAY_MS)
      .default(MINUTE_MS)
      .describe('Pause between retries of the deployment compensation task (ms).'),
    'history-retention': milliseconds(DAY_MS, TEN_YEARS_MS)
      .optional()
      .describe(
        'How long an ended case stays with its history, unless its deployment says otherwise; none: until it is deleted.',
      ),
    'due-soon-lead': milliseconds(MINUTE_MS, 365 * DAY_MS)
      .default(DAY_MS)
      .describe('Time before the due date of a task at which workflow.task.due-soon is sent (ms).'),
    events: textList(
      DEFAULT_EVENTS,
      'Events that are sent: names, * at the end for all that begin so, ! before those left out; the last that fits counts. workflow.task.created, workflow.step.completed and workflow.process.completed are always sent.',
    ),
  });

/** `svc.workflow`. */
export const workflowSection = defineSection({
  name: 'workflow',
  schema,
  rules: [
    (workflow) =>
      workflow.bpmnEndpointsEnabled &&
      !workflow.enabled &&
      warning(
        'WORKFLOW_DISABLED',
        'svc.workflow.bpmn-endpoints-enabled',
        'has no effect: it needs svc.workflow.enabled=true',
      ),
    ({ events }) => {
      const wrong = events.find((pattern) => !EVENT_PATTERN.test(pattern));
      return (
        wrong !== undefined &&
        error(
          'WORKFLOW_EVENT_PATTERN_INVALID',
          'svc.workflow.events',
          `"${wrong}" is not the name of an event such as workflow.task.created, nor its beginning with .* at the end`,
        )
      );
    },
  ],
});

export type WorkflowConfig = PlatformConfig & ConfigOf<typeof workflowSection>;
