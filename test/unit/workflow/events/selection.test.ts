import { describe, expect, it } from 'vitest';
import { workflowSection } from '../../../../functions/workflow/configuration.ts';
import { isSent } from '../../../../functions/workflow/domain/events/selection.ts';

const DEFAULTS = workflowSection.schema.parse({}).events;

describe('svc.workflow.events', () => {
  it.each([
    ['workflow.task.created', DEFAULTS, true],
    ['workflow.stage.started', DEFAULTS, true],
    ['workflow.step.completed', DEFAULTS, true],
    ['workflow.step.started', DEFAULTS, false],
    ['workflow.step.enabled', DEFAULTS, false],
    ['workflow.step.terminated', DEFAULTS, false],
    ['workflow.task.claimed', ['workflow.task.*'], true],
    ['workflow.stage.started', ['workflow.task.*'], false],
    ['workflow.task.claimed', ['!workflow.task.claimed', 'workflow.task.*'], true],
    ['workflow.task.claimed', ['workflow.task.*', '!workflow.task.claimed'], false],
    ['workflow.task.created', ['!*'], true],
    ['workflow.process.completed', ['!*'], true],
    ['workflow.process.started', ['!*'], false],
  ])('of %s by %j: %s', (topic, patterns, expected) => {
    expect(isSent(patterns, topic)).toBe(expected);
  });

  it.each(['task.created', 'workflow.', 'workflow.task*', 'Workflow.*', '!!*'])(
    'refuses the pattern %s',
    (pattern) => {
      const facts = { stage: 'dev', isKeyPrefixTaken: () => false };
      const section = { enabled: true, bpmnEndpointsEnabled: false, events: [pattern] };

      expect(workflowSection.check(section, facts)).toMatchObject([
        { code: 'WORKFLOW_EVENT_PATTERN_INVALID', property: 'svc.workflow.events' },
      ]);
    },
  );
});
