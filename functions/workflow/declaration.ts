import type { PlatformConfig } from '../../shared/config/index.ts';
import { defineModule } from '../../shared/module/declaration.ts';
import {
  claimsMessages,
  files,
  followsRefreshes,
  type Grant,
  indexQueries,
  items,
  keepsAnswers,
  publishesMessages,
  schedules as schedulesOf,
} from '../../shared/module/grants.ts';
import { LARGE_BODIES, ORDERED_HEADS } from '../../shared/module/untested-grants.ts';
import { type WorkflowConfig, workflowSection } from './configuration.ts';
import { fuzzHints } from './fuzz.ts';
import { COMMAND_GROUP, COMMAND_TOPIC, listeners, schedules } from './listeners.ts';
import { PREVIEW_PATH, PROCESS_PATH } from './paths.ts';

const RECORDS = {
  port: 'entities.records',
  reason: 'Who starts a case on a record must be allowed to edit it.',
};
const FORMS = {
  port: 'entities.record-merges',
  reason: 'The form of a task enters the business record when the task is completed.',
};

const RUNS_PROCESSES: readonly Grant[] = [
  items(
    ['PROC#*'],
    ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'],
    'Processes, their definitions, and calls of process tasks.',
  ),
  indexQueries('gsi1', ['PROC#*'], 'Processes of a tenant by state.'),
];

/** What deployments, cases and tasks need, in the function of the module and where `workflow.runtime` is bound. */
const runsCases = (config: PlatformConfig & Partial<WorkflowConfig>): Grant[] => [
  items(
    ['WF#*'],
    ['BatchGetItem', 'BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'],
    'Workflows, their versions and models, and what deployments have left to do.',
  ),
  items(
    ['CASE#*'],
    ['BatchGetItem', 'BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
    'Cases with what belongs to them.',
  ),
  items(
    ['WORK#*'],
    ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
    'External work.',
  ),
  items(
    ['TASK#*'],
    [
      'BatchGetItem',
      'BatchWriteItem',
      'ConditionCheckItem',
      'DeleteItem',
      'GetItem',
      'PutItem',
      'Query',
      'UpdateItem',
    ],
    'Tasks with their drafts, comments and history; they go with their case.',
  ),
  items(['TASKIDX#*'], ['BatchGetItem', 'DeleteItem', 'PutItem', 'Query'], 'Lists of tasks.'),
  items(['TASKSUB#*'], ['DeleteItem', 'GetItem', 'PutItem', 'Query'], 'Who stands in for whom.'),
  items(
    ['TASKDUE#*'],
    ['DeleteItem', 'GetItem', 'PutItem', 'Query'],
    'Tasks by due date, and how far the sweep has come.',
  ),
  items(
    ['TIMERDUE#*'],
    ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'],
    'Timers by due time, and how far the sweep has come.',
  ),
  items(
    ['CASEIDX#*', 'SIGNAL#*', 'CASEREST', 'CASEOBJECT', 'CASEERASE', 'CASEEND#*'],
    ['DeleteItem', 'PutItem', 'Query'],
    'Lists of cases, listeners of signals, and what commands and deletions have left to do.',
  ),
  {
    on: 'bucket',
    keyPrefixes: ['workflow/cases/'],
    actions: ['DeleteObjectVersion', 'GetObject', 'PutObject'],
    listsVersions: true,
    reason: 'What of cases is too large for an item.',
  },
  files(['workflow/definitions/'], 'Documents of deployments, and what is too large for an item.'),
  indexQueries('gsi1', ['CASE#*'], 'Cases of a workflow, and of a deployment that is deleted.'),
  indexQueries('gsi1', ['TIMERDUE#*'], 'Timers of a tenant.'),
  indexQueries('gsi1', ['TASK#*'], 'Tasks that somebody has completed.'),
  indexQueries('gsi2', ['CASE#*'], 'Cases and tasks of a business record.'),
  ...publishesMessages(config),
  ...(config.workflow?.bpmnEndpointsEnabled ? RUNS_PROCESSES : []),
];

/** Paths of the module; those of processes as far as they are switched on. */
const pathsOf = (config: WorkflowConfig): string[] => [
  '/api/v1/workflow',
  ...privatePathsOf(config),
];

/** Those without pages, which browsers open before they have a token to send. */
const privatePathsOf = ({ workflow }: WorkflowConfig): string[] => [
  '/api/v1/tasks',
  ...(workflow.bpmnEndpointsEnabled ? [PROCESS_PATH, PREVIEW_PATH] : []),
];

/** Cases by CMMN 1.1: definitions, cases, tasks. */
export const workflow = defineModule<typeof workflowSection>({
  name: 'workflow',
  deliveredAs: 'svc-cloud-workflow',
  configuration: workflowSection,
  enabled: ({ workflow }) => workflow.enabled,
  paths: pathsOf,
  privatePaths: privatePathsOf,
  routes: { file: 'api/routes', factory: 'workflowRoutes' },
  tags: [
    {
      name: 'Workflow definitions',
      description: 'Checks, deploys, publishes and shows case models (CMMN 1.1).',
    },
    { name: 'Cases', description: 'Starts, shows and changes cases (CMMN 1.1).' },
    { name: 'Tasks', description: 'Lists, claims, delegates and completes tasks of users.' },
    {
      name: 'Clock of cases',
      description: 'Time of a tenant and its timers, for tests on the stage local.',
      when: ['security.test-clock'],
    },
    {
      name: 'Processes',
      description: 'Deploys, starts and changes processes (BPMN 2.0).',
      when: ['workflow.bpmn-endpoints-enabled'],
    },
  ],
  listeners,
  // Other functions and applications publish it.
  distributedTopics: [COMMAND_TOPIC],
  pages: [{ name: 'case', entry: 'page/case' }],
  keyPrefixes: ['CASE*', 'TASK*', 'WF', 'PROC', 'TIMERDUE', 'SIGNAL', 'WORK'],
  uses: [
    RECORDS,
    FORMS,
    {
      port: 'settings.values',
      names: [],
      reason: 'Listeners of the host read settings; their grants come with them.',
    },
  ],
  offers: [
    {
      name: 'workflow.runtime',
      access: 'transactional',
      uses: [RECORDS, FORMS],
      grants: runsCases,
    },
  ],
  schedules,
  scheduleGroup: { target: { kind: 'function' } },
  // The sweep goes on with short pauses until the next one.
  timeoutSeconds: 75,
  grants: (config) => [
    ...runsCases(config),
    ...claimsMessages(config, COMMAND_GROUP),
    items(['setting#@health'], ['PutItem'], 'Reports that the runtime is not ready.'),
    schedulesOf(
      ['CreateSchedule', 'DeleteSchedule'],
      'Timers are fired when they are due, and not with the next sweep.',
    ),
    followsRefreshes(),
    ...keepsAnswers('workflow'),
    ...(config.security.testClock
      ? [items(['CLOCK#tenants'], ['UpdateItem'], 'Tests advance the time of a tenant.')]
      : []),
  ],
  untestedGrants: [
    LARGE_BODIES,
    ORDERED_HEADS,
    {
      actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      on: ['table'],
      keys: [`message_tracking#${COMMAND_GROUP}#*`],
      reason: 'A command that has failed, or is delivered again.',
    },
    {
      actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
      on: ['table'],
      keys: [`received_messages#${COMMAND_GROUP}#*`],
      reason: 'A command that an operator gives by POST /broker/dispatch.',
    },
    {
      actions: ['dynamodb:PutItem'],
      on: ['table'],
      keys: ['setting#@health'],
      reason: 'Only a runtime that is not ready reports.',
    },
    {
      of: 'messaging',
      actions: ['lambda:InvokeFunction'],
      on: ['function/workflow'],
      reason: 'Dispatch calls the function whose listener it is.',
    },
    {
      of: 'messaging-relay',
      actions: ['sqs:GetQueueUrl', 'sqs:SendMessage'],
      on: [`queue/${COMMAND_GROUP}`],
      reason: 'A dead command that is sent again.',
    },
    {
      actions: ['s3:AbortMultipartUpload'],
      on: ['bucket/workflow/definitions/*'],
      reason: 'Comes with the rights on files; documents are written whole.',
    },
    {
      actions: ['dynamodb:BatchWriteItem'],
      on: ['table'],
      keys: ['DYN_*'],
      reason: 'Comes with the ports of records: records with very many fields.',
    },
    {
      actions: ['dynamodb:GetItem'],
      on: ['table'],
      keys: ['setting#security.aes_secret'],
      reason: 'The encrypted fields of a record.',
    },
    {
      actions: ['secretsmanager:GetSecretValue'],
      on: ['arn:aws:secretsmanager:*:*:secret:svc-cloud/*'],
      reason: 'The key of encrypted fields, where it lies in Secrets Manager.',
    },
    {
      actions: ['s3:GetObject', 's3:PutObject'],
      on: ['bucket/entities/values/*'],
      reason: 'The large values of a record; those of forms are small.',
    },
    {
      actions: ['s3:GetObject'],
      on: ['bucket/entities/attachments/*'],
      reason: 'Files that a record names; forms upload none.',
    },
  ],
  fuzz: fuzzHints,
});
