import type { EventDescription } from '../../shared/messaging/wire/event-description.ts';
import type {
  CaseEvent,
  CompletedStepFacts,
  EndedProcessFacts,
  EndedTaskFacts,
  MilestoneFacts,
  ProcessFacts,
  ServiceRequestFacts,
  StepFacts,
  TaskChangeEvent,
  TaskEventFacts,
  TimerFacts,
} from './domain/events/payloads.ts';
import {
  CASE_TOPICS,
  type CaseTopic,
  TASK_TOPICS,
  type TaskTopic,
} from './domain/events/topics.ts';

type Members<T extends object> = EventDescription<T>['members'];

const ofCase: Members<CaseEvent> = {
  tenantCode: 'tenant of the case; empty: of none',
  workflowCode: 'code of its workflow',
  definitionVersion: 'number of the version',
  caseInstanceId: 'id of the case; the key',
  businessKey: 'its business key',
  entityType: 'entity of its business record',
  entityId: 'id of that record',
  actor: 'who gave the command; `system`: a timer',
  sequence: 'number among the events of the case, from 1 without gaps',
};
const omitted = ({ sequence: _, ...members }: typeof ofCase) => members;
const ofProcess: Members<ProcessFacts> = {
  name: 'name of the case',
  caseDefinitionKey: 'key of its definition',
  businessStatus: 'its business status',
  startedBy: 'who has started it',
  startedAt: 'when',
  parentCaseInstanceId: 'the case that has started it',
};
const ofEnd: Members<EndedProcessFacts> = {
  ...ofProcess,
  endState: '`completed`, `terminated` or `failed`',
  endedAt: 'when it has ended',
  durationMs: 'milliseconds since its start',
  cause: 'why, when it does not follow from the model alone',
};
const ofItem = {
  planItemInstanceId: 'id of the instance',
  planItemId: 'id of the plan item in the model',
  planItemDefinitionKey: 'id of its definition in the model',
  name: 'its name',
  stageInstanceId: 'the stage instance around it',
};
const ofStep: Members<StepFacts> = {
  ...ofItem,
  type: 'kind of the plan item, such as `humanTask`, `stage` or `milestone`',
  state: 'its state from now on',
  at: 'when',
  cause: 'why, such as `command`, `criterion` or `timer`',
  criterionId: 'the criterion that was satisfied',
};
const ofCompletedStep: Members<CompletedStepFacts> = {
  ...ofStep,
  outcome: 'outcome that was given with it',
  completedBy: 'who has completed it by a command',
};
const ofMilestone: Members<MilestoneFacts> = { ...ofItem, reachedAt: 'when' };
const ofTimer: Members<TimerFacts> = {
  ...ofItem,
  dueAt: 'when it was due',
  firedAt: 'when it has fired',
};
const ofServiceRequest: Members<ServiceRequestFacts> = {
  processInstanceId: 'id of the process',
  planItemDefinitionKey: 'id of the service task in the model',
  name: 'its name',
  service: 'the service that is asked for: `flowable:topic` of the task',
  payload: 'inputs of the task, by their targets',
  at: 'when',
};
const ofTask: Members<TaskEventFacts> = {
  taskId: 'id of the task',
  engineTaskId: 'the same',
  name: 'its name',
  description: 'its description',
  status: '`PENDING`, or as it has become in the same command',
  assignee: 'whose it is',
  owner: 'who has delegated it',
  candidateUsers: 'users who may claim it',
  candidateGroups: 'groups whose members may claim it',
  priority: 'its priority; 50: the usual one',
  dueDate: 'when it is due',
  category: 'its category',
  formKey: 'its form',
  taskDefinitionKey: 'id of its definition in the model',
  planItemInstanceId: 'id of its plan item instance',
  stageInstanceId: 'the stage instance around it',
  caseName: 'name of the case',
  createdAt: 'when it was created',
  engine: '`CMMN`: of a case; `BPMN`: of a process',
};
const whichTask = {
  taskId: 'id of the task',
  engineTaskId: 'the same',
  planItemInstanceId: 'id of its plan item instance',
  taskDefinitionKey: 'id of its definition in the model',
  name: 'its name',
  stageInstanceId: 'the stage instance around it',
} as const;
const ofEndedTask: Members<EndedTaskFacts> = {
  ...whichTask,
  status: '`COMPLETED` or `CANCELLED`',
  completedAt: 'when',
  completedBy: 'who has completed it',
  outcome: 'outcome that was given with it',
  cancelReason: '`exit`, `terminate`, `fault` or `parentCompleted`',
};

const ofTaskChange: Members<TaskChangeEvent> = {
  ...omitted(ofCase),
  ...whichTask,
  status: '`PENDING`, `CLAIMED` or `DELEGATED`',
  assignee: 'whose it is now',
  owner: 'who has delegated it',
  delegationState: '`PENDING`: it is with another; `RESOLVED`: it was given back',
  priority: 'its priority; 50: the usual one',
  dueDate: 'when it is due',
  previousAssignee: 'whose it was before',
  taskVersion: 'version of the task: orders the events of one task',
  at: 'when',
};

const described = (
  topic: CaseTopic,
  payload: string,
  meaning: string,
  members: Readonly<Record<string, string>>,
): EventDescription => ({
  topic,
  key: 'case instance id',
  payload: `CaseEvent & ${payload}`,
  meaning,
  members: { ...ofCase, ...members },
});

/** Tells of a task that is due; `sequence` counts changes of the case. */
function reminder(topic: CaseTopic, meaning: string): EventDescription {
  const { sequence: _, ...about } = ofCase;
  const members = { ...about, actor: '`system`', ...ofTask };
  return { topic, key: 'case instance id', payload: 'TaskReminderEvent', meaning, members };
}
/** What a person does with a task. */
const ofPerson = (topic: TaskTopic, meaning: string): EventDescription => ({
  ...{ topic, key: 'case instance id', payload: 'TaskChangeEvent', meaning },
  members: ofTaskChange,
});

/** Events of cases, their plan items and tasks, for the reference. */
export const caseEventDescriptions: readonly EventDescription[] = [
  described(CASE_TOPICS.processStarted, 'ProcessFacts', 'a case has started', ofProcess),
  described(CASE_TOPICS.processCompleted, 'EndedProcessFacts', 'a case is completed', ofEnd),
  described(CASE_TOPICS.processTerminated, 'EndedProcessFacts', 'a case was terminated', ofEnd),
  described(CASE_TOPICS.processFailed, 'EndedProcessFacts', 'a case has failed', ofEnd),
  described(CASE_TOPICS.processSuspended, 'ProcessFacts', 'a case is suspended', ofProcess),
  described(CASE_TOPICS.processResumed, 'ProcessFacts', 'a case was resumed', ofProcess),
  described(CASE_TOPICS.processReactivated, 'ProcessFacts', 'an ended case is back', ofProcess),
  described(CASE_TOPICS.stageStarted, 'StepFacts', 'a stage has started', ofStep),
  described(
    CASE_TOPICS.stageCompleted,
    'CompletedStepFacts',
    'a stage is completed',
    ofCompletedStep,
  ),
  described(
    CASE_TOPICS.stageTerminated,
    'StepFacts',
    'a stage has ended without completion',
    ofStep,
  ),
  described(CASE_TOPICS.stepStarted, 'StepFacts', 'a plan item has started', ofStep),
  described(CASE_TOPICS.stepEnabled, 'StepFacts', 'a plan item can be started by hand', ofStep),
  described(
    CASE_TOPICS.stepCompleted,
    'CompletedStepFacts',
    'a plan item is completed or has occurred',
    ofCompletedStep,
  ),
  described(
    CASE_TOPICS.stepTerminated,
    'StepFacts',
    'a plan item has ended without completion',
    ofStep,
  ),
  described(CASE_TOPICS.milestoneReached, 'MilestoneFacts', 'a milestone is reached', ofMilestone),
  described(CASE_TOPICS.taskCreated, 'TaskEventFacts', 'a task was created', ofTask),
  described(CASE_TOPICS.taskCompleted, 'EndedTaskFacts', 'a task was completed', ofEndedTask),
  described(
    CASE_TOPICS.taskCancelled,
    'EndedTaskFacts',
    'a task has ended with its case, stage or item',
    ofEndedTask,
  ),
  reminder(CASE_TOPICS.taskDueSoon, 'a task is due within `svc.workflow.due-soon-lead`'),
  reminder(CASE_TOPICS.taskOverdue, 'a task is due and open'),
  ofPerson(TASK_TOPICS.claimed, 'a user has claimed a task'),
  ofPerson(TASK_TOPICS.unclaimed, 'a user has returned a task to its candidates'),
  ofPerson(TASK_TOPICS.assigned, 'a task was assigned or unassigned'),
  ofPerson(TASK_TOPICS.delegated, 'a task was delegated to another user'),
  ofPerson(TASK_TOPICS.resolved, 'a delegated task was given back'),
  ofPerson(TASK_TOPICS.updated, 'name, due date or priority of a task were changed'),
  ofPerson(TASK_TOPICS.draftSaved, 'a user has saved a draft of the form of a task'),
  described(
    CASE_TOPICS.serviceRequested,
    'ServiceRequestFacts',
    'a service task of a process asks for a service',
    ofServiceRequest,
  ),
  described(CASE_TOPICS.timerFired, 'TimerFacts', 'a timer has fired', ofTimer),
];
