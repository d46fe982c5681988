/** A case with one task. */
export const xml = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL"
    xmlns:flowable="http://flowable.org/cmmn" targetNamespace="http://example.org/loans">
  <case id="loan" name="Loan">
    <casePlanModel id="loanPlan" name="Loan">
      <planItem id="planReview" definitionRef="review" />
      <humanTask id="review" name="Review the application" flowable:candidateGroups="clerks" />
    </casePlanModel>
  </case>
</definitions>
`;

export const modelReport = {
  valid: true,
  errors: [],
  warnings: [],
  infos: [{ code: 'DI_MISSING', severity: 'INFO', message: 'The document holds no diagram.' }],
  caseDefinitions: [{ key: 'loan', name: 'Loan' }],
};

const DEPLOYMENT_ID = '01990000-0000-7000-8000-000000000001';

export const newDeployment = { workflowCode: 'loan', xml, taskVariables: ['amount'] };

export const deployed = {
  workflowCode: 'loan',
  tenantCode: '',
  version: 1,
  deploymentId: DEPLOYMENT_ID,
  status: 'PUBLISHED',
  caseDefinitionKey: 'loan',
  name: 'Loan',
  category: null,
  caseDefinitions: [{ id: `${DEPLOYMENT_ID}:loan`, key: 'loan', name: 'Loan', version: 1 }],
  processDefinitions: [],
  decisions: [],
  resources: [],
  taskVariables: ['amount'],
  historyRetentionMs: null,
  uniqueBusinessKey: false,
  contentHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  deployedAt: '2026-08-03T09:30:00.000Z',
  deployedBy: 'clerk-1',
  publishedAt: '2026-08-03T09:30:00.000Z',
};

export const version = { ...deployed, publishedVersion: 1 };
export const deployment = { ...deployed, warnings: [] };
export const deploymentJob = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  kind: 'DELETE',
  state: 'RUNNING',
  processed: 200,
  total: 1_200,
  result: {},
  createdAt: '2026-03-01T08:00:00.000Z',
  updatedAt: '2026-03-01T08:01:00.000Z',
};
export const deploymentOutcome = { ...deployment, unchanged: false };

/** A plan item as models show it. */
export const planItem = {
  id: 'planReview',
  definitionKey: 'review',
  name: 'Review the application',
  type: 'humanTask',
  stageId: 'loanPlan',
  isDiscretionary: false,
  entryCriteria: [],
  exitCriteria: [],
  required: null,
  manualActivation: null,
  repetition: null,
  completionNeutral: null,
};

export const snapshot = {
  workflowCode: 'loan',
  tenantCode: '',
  version: 1,
  deploymentId: DEPLOYMENT_ID,
  caseDefinitionKey: 'loan',
  name: 'Loan',
  publishedAt: '2026-08-03T09:30:00.000Z',
  cmmnXml: xml,
  exitCriteria: [],
  planItems: [{ ...planItem, candidateGroups: ['clerks'] }],
  sentries: [],
  diagrams: [],
};
