import { pageOf } from '../page-example.ts';
import { task } from '../tasks/task-examples.ts';

const caseInstanceId = '01920000-0000-7000-8000-000000000001';
const { taskId } = task;
const startedAt = '2026-03-01T09:30:00.000Z';

export const newCase = {
  workflowCode: 'loan',
  businessKey: 'L-2026-17',
  variables: { amount: 25_000 },
};

const planItem = {
  id: taskId,
  planItemId: 'planItemReview',
  planItemDefinitionKey: 'review',
  name: 'Review the request',
  type: 'humanTask',
  state: 'active',
  createdAt: startedAt,
  startedAt,
  assignee: task.assignee,
  taskId,
  triggerable: false,
  allowedActions: ['suspend', 'terminate'],
};

const caseHead = {
  caseInstanceId,
  workflowCode: 'loan',
  tenantCode: '',
  caseDefinitionKey: 'loan',
  definitionVersion: 3,
  businessKey: 'L-2026-17',
  state: 'active',
  completable: false,
  startedBy: 'mai',
  startedAt,
};

export const caseView = {
  ...caseHead,
  variables: { amount: 25_000 },
  planItems: [planItem],
  tasks: [task],
  milestones: [],
  truncated: false,
  version: 1,
};

export const casePage = pageOf(caseHead);
export const planItemPage = pageOf(planItem);
export const historyPage = pageOf({
  id: '01920000-0000-7000-8000-000000000003',
  at: startedAt,
  by: 'mai',
  command: { type: 'setVariables' },
  changes: [
    {
      type: 'variableChanged',
      change: 'update',
      name: 'amount',
      value: 30_000,
      oldValue: 25_000,
    },
  ],
  truncated: false,
});
export const caseVariables = { variables: { amount: 25_000 } };
export const stages = {
  stages: [
    {
      planItemId: 'planItemAssess',
      definitionKey: 'assess',
      type: 'stage',
      name: 'Assessment',
      isCurrent: true,
      isEnded: false,
    },
  ],
};
export const explanation = {
  id: taskId,
  name: 'Approve',
  state: 'available',
  entryCriteria: [
    {
      id: 'whenReviewed',
      onParts: [
        { id: 'reviewed', source: 'planItemReview', standardEvent: 'complete', isSeen: false },
      ],
    },
  ],
  exitCriteria: [],
};
export const plannable = {
  items: [
    {
      discretionaryItemId: 'askAnExpert',
      definitionKey: 'expertise',
      name: 'Ask an expert',
      caseInstanceId,
    },
  ],
};
export const plan = { discretionaryItemId: 'askAnExpert' };
export const heardSignal = { caseInstanceIds: [caseInstanceId], refused: [], truncated: false };
