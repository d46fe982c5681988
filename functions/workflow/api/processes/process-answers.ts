import * as z from 'zod';
import { pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { PROCESS_STATES } from '../../domain/processes/process-head.ts';
import { taskView } from '../tasks/task-answers.ts';

const text = lazy(() => z.string().optional());
const instant = lazy(() => z.iso.datetime());
const values = lazy(() => z.record(z.string(), z.unknown()));

const problem = lazy(() =>
  z
    .object({
      code: z.string(),
      severity: z.enum(['ERROR', 'WARNING']),
      message: z.string(),
      elementId: text(),
      elementType: text(),
      elementName: text(),
      line: z.int().optional(),
      column: z.int().optional(),
    })
    .meta({ id: 'ProcessProblem' }),
);
export const definitionView = lazy(() =>
  z
    .object({
      definitionId: z.string(),
      workflowCode: z.string(),
      processKey: z.string(),
      name: text(),
      tenantCode: z.string(),
      version: z.int(),
      contentHash: z.string(),
      deployedAt: instant(),
      deployedBy: z.string(),
      warnings: z.array(problem()),
    })
    .meta({ id: 'ProcessDefinition' }),
);
export const definitionPage = lazy(() => pageSchema(definitionView(), 'ProcessDefinitionPage'));

const head = lazy(() => ({
  processInstanceId: z.string(),
  workflowCode: z.string(),
  processKey: z.string(),
  definitionVersion: z.int(),
  tenantCode: z.string(),
  name: text(),
  businessKey: text(),
  entityType: text(),
  entityId: text(),
  state: z.enum(PROCESS_STATES),
  startedBy: text(),
  startedAt: instant(),
  endedAt: instant().optional(),
  endReason: text(),
  parentCaseInstanceId: text().describe('Case whose process task has started it.'),
}));
const processHead = lazy(() => z.object(head()).meta({ id: 'ProcessHead' }));
export const processPage = lazy(() => pageSchema(processHead(), 'ProcessPage'));
const activity = lazy(() =>
  z
    .object({
      executionId: z.string(),
      activityId: z.string(),
      type: z.string(),
      name: z.string(),
      waitsFor: z.enum(['task', 'timer', 'message', 'signal']),
      messageName: text(),
      signalName: text(),
      dueAt: instant().optional(),
      taskId: text(),
    })
    .meta({ id: 'WaitingActivity' }),
);
export const processView = lazy(() =>
  z
    .object({
      ...head(),
      activities: z.array(activity()).describe('What waits.'),
      variables: values(),
      version: z.int(),
    })
    .meta({ id: 'Process' }),
);
export const processTasks = lazy(() =>
  z.object({ tasks: z.array(taskView()) }).meta({ id: 'ProcessTasks' }),
);
export const modelReport = lazy(() =>
  z
    .object({
      valid: z.boolean(),
      processKey: text(),
      errors: z.array(problem()),
      warnings: z.array(problem()),
    })
    .meta({ id: 'ProcessModelReport' }),
);
export const modelView = lazy(() =>
  z
    .object({
      processKey: z.string(),
      name: text(),
      elements: z.array(
        z.object({ id: z.string(), type: z.string(), name: z.string(), parentId: text() }),
      ),
      flows: z.array(
        z.object({
          id: z.string(),
          name: text(),
          sourceId: z.string(),
          targetId: z.string(),
          condition: text(),
          isDefault: z.boolean().optional(),
        }),
      ),
    })
    .meta({ id: 'ProcessDrawing' }),
);
export const simulated = lazy(() =>
  z
    .object({
      outcome: z.enum(['completed', 'waiting', 'failed', 'stopped']),
      steps: z.array(
        z.object({
          type: z.enum(['activityStarted', 'activityCompleted', 'activityDiscarded', 'flowTaken']),
          id: z.string(),
        }),
      ),
      waiting: z.array(z.object({ activityId: z.string(), waitsFor: z.string() })),
      variables: values(),
      error: z.object({ code: z.string(), message: z.string(), elementId: text() }).optional(),
    })
    .meta({ id: 'ProcessSimulation' }),
);
