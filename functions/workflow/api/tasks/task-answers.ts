import * as z from 'zod';
import { pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';

const text = lazy(() => z.string().optional());
const instant = lazy(() => z.iso.datetime());
const someInstant = lazy(() => instant().optional());
const values = lazy(() => z.record(z.string(), z.unknown()));

const draftMembers = lazy(() => ({
  formData: values(),
  variables: values().optional(),
  leftOut: z
    .array(z.string())
    .optional()
    .describe(
      'Fields that the business record encrypts or never shows: their values are not kept.',
    ),
  savedAt: instant(),
  savedBy: z.string(),
}));

export const taskView = lazy(() =>
  z
    .object({
      taskId: z.string(),
      engineTaskId: z.string().describe('The same as taskId.'),
      name: z.string(),
      description: text(),
      status: z.enum(['PENDING', 'CLAIMED', 'DELEGATED', 'SUSPENDED', 'COMPLETED', 'CANCELLED']),
      assignee: text(),
      owner: text().describe('Who has delegated it.'),
      delegationState: z.enum(['PENDING', 'RESOLVED']).optional(),
      candidateUsers: z.array(z.string()),
      candidateGroups: z.array(z.string()),
      priority: z.number(),
      dueDate: someInstant(),
      category: text(),
      formKey: text(),
      taskDefinitionKey: z.string(),
      planItemInstanceId: z.string(),
      stageInstanceId: text(),
      caseInstanceId: z.string().describe('Of a process: its instance.'),
      processInstanceId: text(),
      caseName: text(),
      workflowCode: z.string(),
      definitionVersion: z.int(),
      tenantCode: z.string(),
      businessKey: text(),
      entityType: text(),
      entityId: text(),
      createdAt: instant(),
      claimedAt: someInstant(),
      completedAt: someInstant(),
      completedBy: text(),
      cancelReason: z.enum(['exit', 'terminate', 'fault', 'parentCompleted']).optional(),
      outcome: text(),
      hasDraft: z.boolean(),
      draft: z.object(draftMembers()).optional(),
      variables: values().optional().describe('Those of the case that were named at deployment.'),
      allowedActions: z
        .array(z.string())
        .describe('What the caller may do, as far as assignment and state say.'),
      version: z.int(),
      engine: z.enum(['CMMN', 'BPMN']),
    })
    .meta({ id: 'Task' }),
);
export const taskPage = lazy(() => pageSchema(taskView(), 'TaskPage'));
export const completion = lazy(() =>
  z
    .object({
      task: taskView(),
      case: z.object({
        caseInstanceId: z.string(),
        state: z.enum(['active', 'suspended', 'completed', 'terminated', 'failed']),
        businessStatus: text(),
      }),
      nextTasks: z.array(taskView()).describe('Tasks that have opened and that the caller sees.'),
    })
    .meta({ id: 'TaskCompletion' }),
);
export const draftView = lazy(() =>
  z.object({ taskId: z.string(), draft: z.object(draftMembers()) }).meta({ id: 'TaskDraft' }),
);
export const taskCount = lazy(() =>
  z
    .object({
      count: z.int(),
      relation: z.enum(['eq', 'gte']).describe('gte: counting has stopped there.'),
    })
    .meta({ id: 'TaskCount' }),
);
const commentMembers = lazy(() => ({
  id: z.string(),
  text: z.string(),
  at: instant(),
  by: z.string(),
}));
export const commentView = lazy(() => z.object(commentMembers()).meta({ id: 'TaskComment' }));
export const commentPage = lazy(() => pageSchema(commentView(), 'TaskCommentPage'));
const substitutionMembers = lazy(() => ({
  user: z.string().describe('Who is absent.'),
  substitute: z.string().describe('Who works on the tasks of that user.'),
  from: instant(),
  until: instant(),
  setBy: z.string(),
  setAt: instant(),
}));
export const substitution = lazy(() =>
  z.object(substitutionMembers()).meta({ id: 'TaskSubstitution' }),
);
export const absences = lazy(() =>
  z.object({ content: z.array(substitution()) }).meta({ id: 'TaskAbsences' }),
);
export const historyPage = lazy(() =>
  pageSchema(
    z
      .object({
        id: z.string(),
        action: z.string(),
        at: instant(),
        by: z.string(),
        comment: text(),
        outcome: text(),
        onBehalfOf: text().describe('The absent user for whom the caller stood in.'),
        changes: z.array(
          z.object({
            name: z.string(),
            value: z.union([z.string(), z.number()]).optional(),
            oldValue: z.union([z.string(), z.number()]).optional(),
          }),
        ),
      })
      .meta({ id: 'TaskHistoryEntry' }),
    'TaskHistoryPage',
  ),
);
export const bulkOutcome = lazy(() =>
  z
    .object({
      results: z.array(
        z.object({
          taskId: z.string(),
          status: z.int().describe('Status that the action alone would have answered.'),
          code: text().describe('Code of the problem, when it was refused.'),
          detail: text(),
        }),
      ),
    })
    .meta({ id: 'TaskBulkOutcome' }),
);
