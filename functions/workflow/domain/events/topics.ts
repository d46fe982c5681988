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
  timerFired: 'workflow.timer.fired',
} as const;

export type CaseTopic = (typeof CASE_TOPICS)[keyof typeof CASE_TOPICS];
