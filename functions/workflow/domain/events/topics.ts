/** Topics of what happens in cases. */
export const CASE_TOPICS = {
  processStarted: 'workflow.process.started',
  processCompleted: 'workflow.process.completed',
  processTerminated: 'workflow.process.terminated',
  processFailed: 'workflow.process.failed',
  processSuspended: 'workflow.process.suspended',
  processResumed: 'workflow.process.resumed',
  processReactivated: 'workflow.process.reactivated',
  stageStarted: 'workflow.stage.started',
  stageCompleted: 'workflow.stage.completed',
  stageTerminated: 'workflow.stage.terminated',
  stepStarted: 'workflow.step.started',
  stepEnabled: 'workflow.step.enabled',
  stepCompleted: 'workflow.step.completed',
  stepTerminated: 'workflow.step.terminated',
  milestoneReached: 'workflow.milestone.reached',
  taskCreated: 'workflow.task.created',
  taskCompleted: 'workflow.task.completed',
  taskCancelled: 'workflow.task.cancelled',
  taskDueSoon: 'workflow.task.due-soon',
  taskOverdue: 'workflow.task.overdue',
  serviceRequested: 'workflow.service.requested',
  timerFired: 'workflow.timer.fired',
} as const;

/** Topics of what people do with tasks, without their cases. */
export const TASK_TOPICS = {
  claimed: 'workflow.task.claimed',
  unclaimed: 'workflow.task.unclaimed',
  assigned: 'workflow.task.assigned',
  delegated: 'workflow.task.delegated',
  resolved: 'workflow.task.resolved',
  updated: 'workflow.task.updated',
  draftSaved: 'workflow.task.draft-saved',
} as const;

export type TaskTopic = (typeof TASK_TOPICS)[keyof typeof TASK_TOPICS];
export type CaseTopic = (typeof CASE_TOPICS)[keyof typeof CASE_TOPICS];
