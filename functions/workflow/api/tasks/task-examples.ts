import { pageOf } from '../page-example.ts';

const taskId = '01920000-0000-7000-8000-000000000002';
const at = '2026-03-01T09:30:00.000Z';

export const task = {
  taskId,
  engineTaskId: taskId,
  name: 'Review the request',
  status: 'CLAIMED',
  assignee: 'mai',
  candidateUsers: [],
  candidateGroups: ['clerks'],
  priority: 50,
  taskDefinitionKey: 'review',
  planItemInstanceId: taskId,
  caseInstanceId: '01920000-0000-7000-8000-000000000001',
  workflowCode: 'loan',
  definitionVersion: 3,
  tenantCode: '',
  businessKey: 'L-2026-17',
  createdAt: at,
  claimedAt: at,
  hasDraft: false,
  allowedActions: ['unclaim', 'complete', 'saveDraft', 'delegate'],
  version: 2,
  engine: 'CMMN',
};

export const taskPage = pageOf(task);
export const complete = { formData: { approved: true }, outcome: 'approve' };
export const completion = {
  task: {
    ...task,
    status: 'COMPLETED',
    completedAt: at,
    completedBy: 'mai',
    outcome: 'approve',
    allowedActions: [],
    version: 3,
  },
  case: { caseInstanceId: task.caseInstanceId, state: 'completed' },
  nextTasks: [],
};
export const draft = { formData: { amount: 25_000 } };
export const draftView = { taskId, draft: { ...draft, savedAt: at, savedBy: 'mai' } };
export const substitute = { substitute: 'lan', until: '2026-03-15T00:00:00.000Z' };
export const substitution = { user: 'mai', ...substitute, from: at, setBy: 'mai', setAt: at };
export const count = { count: 12, relation: 'eq' };
export const comment = { id: taskId, text: 'The income is missing.', at, by: 'mai' };
export const commentPage = pageOf(comment);
export const historyPage = pageOf({
  id: taskId,
  action: 'claim',
  at,
  by: 'mai',
  changes: [
    { name: 'status', value: 'CLAIMED', oldValue: 'PENDING' },
    { name: 'assignee', value: 'mai' },
  ],
});
export const bulk = { action: 'claim', taskIds: [taskId] };
export const bulkOutcome = { results: [{ taskId, status: 200 }] };
