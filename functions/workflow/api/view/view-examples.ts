import { planItem } from '../definitions/definition-examples.ts';

const startedAt = '2026-03-01T09:30:00.000Z';
const id = '01920000-0000-7000-8000-000000000002';

export const model = {
  caseDefinitionKey: 'loan',
  name: 'Loan',
  planModelId: 'loanPlan',
  exitCriteria: [],
  planItems: [planItem],
  sentries: [],
  diagrams: [],
};

export const progress = {
  caseInstanceId: '01920000-0000-7000-8000-000000000001',
  workflowCode: 'loan',
  definitionVersion: 3,
  state: 'active',
  startedBy: 'mai',
  startedAt,
  planItems: [
    {
      planItemId: planItem.id,
      states: { active: 1 },
      latest: {
        id,
        name: planItem.name,
        state: 'active',
        createdAt: startedAt,
        startedAt,
        taskId: id,
      },
    },
  ],
  truncated: false,
};
