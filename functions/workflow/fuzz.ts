import type { FuzzHints } from '../../shared/module/fuzz-hints.ts';
import { xml } from './api/definitions/definition-examples.ts';
import { xml as processXml } from './api/processes/process-examples.ts';

const VERSION_OPERATIONS = ['getWorkflowVersion', 'getWorkflowXml'];
const WORKFLOW_OPERATIONS = [
  'getWorkflow',
  'listWorkflowVersions',
  'publishWorkflow',
  'unpublishWorkflow',
  'getWorkflowSnapshot',
  ...VERSION_OPERATIONS,
];

/** Operations that read a case. */
const CASE_OPERATIONS = [
  'getCase',
  'getCaseModel',
  'getCaseProgress',
  'getCaseHistory',
  'getCaseVariables',
  'getStageOverview',
  'explainCase',
  'listPlanItems',
  'listPlannableItems',
];

/** Operations on a task that stays open; of those that change it the answer depends on its state. */
const TASK_OPERATIONS = [
  'getTask',
  'getTaskHistory',
  'listTaskComments',
  'addTaskComment',
  'saveTaskDraft',
  'updateTask',
];

/** Operations on a version of a process. */
const PROCESS_VERSION_OPERATIONS = ['getProcessXml'];
const PROCESS_CODE_OPERATIONS = [
  'getProcessDefinition',
  'listProcessVersions',
  'previewDeployedProcess',
  ...PROCESS_VERSION_OPERATIONS,
];

/** Operations on a process instance that leave it as it waits. */
const PROCESS_OPERATIONS = [
  'getProcess',
  'getProcessHistory',
  'listProcessTasks',
  'putProcessVariables',
];

/** Fuzzer hints for workflows: a deployment, a case of it, and the rules that no request schema can express. */
export const fuzzHints: FuzzHints = {
  exceptions: [
    {
      operationIds: ['deployCmmn', 'deployProcess', 'previewProcess', 'simulateProcess'],
      check: 'positive_data_acceptance',
      reason: 'A model has rules of its own, which no schema of the request can say.',
    },
    {
      operationIds: ['listWorkflows'],
      check: 'positive_data_acceptance',
      reason: 'Some parameters exclude each other.',
    },
    {
      operationIds: ['listTimers'],
      check: 'positive_data_acceptance',
      reason: 'Keys have a limit in bytes.',
    },
    {
      operationIds: ['setOwnSubstitute', 'setSubstitute'],
      check: 'positive_data_acceptance',
      reason: 'A time must not lie in the past.',
    },
    {
      operationIds: ['advanceWorkflowClock'],
      check: 'positive_data_acceptance',
      reason: 'No schema can say how long a duration is.',
    },
    {
      operationIds: ['startCase', 'listCases'],
      check: 'positive_data_acceptance',
      reason: 'Some members exclude or need each other, and keys have a limit in bytes.',
    },
    {
      operationIds: [
        'putCaseVariables',
        'patchCaseVariables',
        'deleteCaseVariables',
        'reactivateCase',
        'planItem',
        'triggerPlanItem',
        'startPlanItem',
        'completePlanItem',
        'enablePlanItem',
        'disablePlanItem',
        'terminatePlanItem',
        'suspendPlanItem',
        'resumePlanItem',
        'completeExternalWork',
        'sendSignal',
      ],
      check: 'positive_data_acceptance',
      reason: 'Names of variables have rules of the engine, and keys have a limit in bytes.',
    },
    {
      operationIds: [
        'startProcess',
        'listProcesses',
        'signalProcess',
        'messageProcess',
        'putProcessVariables',
      ],
      check: 'positive_data_acceptance',
      reason:
        'Some members exclude or need each other, names of variables have rules of the engine, and keys have a limit in bytes.',
    },
    {
      operationIds: ['listTasks', 'countTasks'],
      check: 'positive_data_acceptance',
      reason: 'Some parameters need each other, others are named after variables.',
    },
    {
      operationIds: ['completeTask', 'completeEngineTask', 'saveTaskDraft'],
      check: 'positive_data_acceptance',
      reason: 'Names of variables have rules of the engine, and drafts have a limit in bytes.',
    },
    {
      operationIds: ['updateTask', 'delegateTask', 'assignTask', 'bulkTasks'],
      check: 'positive_data_acceptance',
      reason: 'Some members exclude or need each other, and keys have a limit in bytes.',
    },
  ],
  targetedOperations: [
    ...WORKFLOW_OPERATIONS,
    'getDeployment',
    ...CASE_OPERATIONS,
    ...TASK_OPERATIONS,
    ...PROCESS_CODE_OPERATIONS,
    ...PROCESS_OPERATIONS,
  ],
  async prepare(post, suffix) {
    const workflowCode = `fuzz-${suffix}`;
    const path = '/api/v1/workflow/cmmn/deployments';
    const deployed = (await post(path, { workflowCode, xml })) as { deploymentId: string };
    const started = (await post('/api/v1/workflow/cmmn/cases', { workflowCode })) as {
      caseInstanceId: string;
      tasks: readonly { taskId: string }[];
    };
    // The versions of a process have one code: a run has a process of its own.
    const ownXml = processXml.replaceAll('id="order"', `id="${workflowCode}"`);
    await post('/api/v1/process-instance/definitions', { code: workflowCode, xml: ownXml });
    const process = (await post('/api/v1/process-instance/start', { workflowCode })) as {
      processInstanceId: string;
    };
    return [
      { parameter: 'code', operationIds: PROCESS_CODE_OPERATIONS, values: [workflowCode] },
      {
        parameter: 'processInstanceId',
        operationIds: PROCESS_OPERATIONS,
        values: [process.processInstanceId],
      },
      {
        parameter: 'taskId',
        operationIds: TASK_OPERATIONS,
        values: started.tasks.map(({ taskId }) => taskId),
      },
      {
        parameter: 'caseInstanceId',
        operationIds: CASE_OPERATIONS,
        values: [started.caseInstanceId],
      },
      { parameter: 'workflowCode', operationIds: WORKFLOW_OPERATIONS, values: [workflowCode] },
      {
        parameter: 'version',
        operationIds: [...VERSION_OPERATIONS, ...PROCESS_VERSION_OPERATIONS],
        values: ['1'],
      },
      {
        parameter: 'deploymentId',
        operationIds: ['getDeployment'],
        values: [deployed.deploymentId],
      },
    ];
  },
};
