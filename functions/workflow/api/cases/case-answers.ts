import * as z from 'zod';
import { pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { CASE_STATES } from '../../store/cases/case-list.ts';
import { taskView } from '../tasks/task-answers.ts';

const text = lazy(() => z.string().optional());
const instant = lazy(() => z.iso.datetime());
const someInstant = lazy(() => instant().optional());
const values = lazy(() => z.record(z.string(), z.unknown()));

const planItem = lazy(() =>
  z
    .object({
      id: z.string(),
      planItemId: z.string(),
      planItemDefinitionKey: z.string(),
      name: z.string(),
      type: z.string(),
      state: z.string(),
      stageInstanceId: text(),
      completable: z.boolean().optional(),
      repetitionCounter: z
        .int()
        .optional()
        .describe('Which of its repetition it is, from 1; missing where it does not repeat.'),
      localVariables: values().optional(),
      createdAt: instant(),
      startedAt: someInstant(),
      endedAt: someInstant(),
      assignee: text().describe('Of a human task: who has it, or has completed it.'),
      taskId: text(),
      childCaseInstanceId: text(),
      dueAt: someInstant().describe('Of a timer: when it is due.'),
      triggerable: z.boolean(),
      allowedActions: z.array(z.string()),
    })
    .meta({ id: 'PlanItem' }),
);

const head = lazy(() => ({
  caseInstanceId: z.string(),
  workflowCode: z.string(),
  tenantCode: z.string(),
  caseDefinitionKey: z.string(),
  definitionVersion: z.int(),
  name: text(),
  businessKey: text(),
  businessStatus: text(),
  entityType: text(),
  entityId: text(),
  state: z.enum(CASE_STATES),
  completable: z.boolean(),
  startedBy: text(),
  startedAt: instant(),
  endedAt: someInstant(),
  parentCaseInstanceId: text(),
}));

const caseHead = lazy(() => z.object(head()).meta({ id: 'CaseSummary' }));
export const caseView = lazy(() =>
  z
    .object({
      ...head(),
      variables: values(),
      planItems: z.array(planItem()),
      tasks: z.array(taskView()),
      milestones: z.array(
        z.object({
          planItemInstanceId: z.string(),
          planItemDefinitionKey: z.string(),
          name: z.string(),
          reachedAt: someInstant(),
        }),
      ),
      truncated: z
        .boolean()
        .describe(
          'The lists hold only the first 200 of the case, or variables are left out: all are too large.',
        ),
      version: z.int(),
    })
    .meta({ id: 'Case' }),
);
export const casePage = lazy(() => pageSchema(caseHead(), 'CasePage'));
export const planItemPage = lazy(() => pageSchema(planItem(), 'PlanItemPage'));
export const historyPage = lazy(() =>
  pageSchema(
    z
      .object({
        id: z.string(),
        at: instant(),
        by: text(),
        command: z.looseObject({ type: z.string() }).describe('What was asked for.'),
        changes: z
          .array(z.looseObject({ type: z.string() }))
          .describe('What it has changed; of variables value and oldValue.'),
        truncated: z.boolean().describe('There are more than 200 changes.'),
      })
      .meta({ id: 'CaseHistoryEntry' }),
    'CaseHistoryPage',
  ),
);
export const caseVariables = lazy(() =>
  z
    .object({
      variables: values(),
      truncated: z
        .literal(true)
        .optional()
        .describe('The last ones are left out: all are too large.'),
    })
    .meta({ id: 'CaseVariables' }),
);
export const stages = lazy(() =>
  z
    .object({
      stages: z.array(
        z.object({
          planItemId: z.string(),
          definitionKey: z.string(),
          type: z.enum(['stage', 'milestone']),
          name: z.string(),
          isCurrent: z.boolean(),
          isEnded: z.boolean(),
        }),
      ),
    })
    .meta({ id: 'StageOverview' }),
);
export const explanation = lazy(() =>
  z
    .looseObject({
      id: z.string(),
      name: z.string(),
      state: z.string(),
      entryCriteria: z.array(z.looseObject({ id: z.string() })),
      exitCriteria: z.array(z.looseObject({ id: z.string() })),
    })
    .meta({ id: 'CaseExplanation' }),
);
export const plannable = lazy(() =>
  z
    .object({
      items: z.array(
        z.object({
          discretionaryItemId: z.string(),
          definitionKey: z.string(),
          name: z.string(),
          caseInstanceId: z.string(),
          containerInstanceId: text(),
        }),
      ),
    })
    .meta({ id: 'PlannableItems' }),
);
export const heardSignal = lazy(() =>
  z
    .object({
      caseInstanceIds: z.array(z.string()).describe('Cases that have heard it.'),
      refused: z.array(z.object({ caseInstanceId: z.string(), code: z.string() })),
      truncated: z.boolean().describe('More than 1 000 listeners wait for it: send it again.'),
    })
    .meta({ id: 'HeardSignal' }),
);
