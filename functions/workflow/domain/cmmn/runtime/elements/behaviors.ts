import type { PlanItemDefinitionType } from '../../model/plan-item-definition.ts';
import type { Behavior } from '../run/run.ts';
import { caseTask } from './case-task.ts';
import { decisionTask } from './decision-task.ts';
import { eventListeners } from './event-listener.ts';
import { expressionTask } from './expression-task.ts';
import { externalWorkerTask } from './external-worker-task.ts';
import { humanTask } from './human-task.ts';
import { milestone } from './milestone.ts';
import { processTask } from './process-task.ts';
import { stage } from './stage.ts';
import { task } from './task.ts';
import { timerEventListener } from './timer-event-listener.ts';

/** The behaviour of each type of definition. */
export const BEHAVIORS: Readonly<Record<PlanItemDefinitionType, Behavior>> = {
  stage,
  milestone,
  task,
  humanTask,
  caseTask,
  processTask,
  decisionTask,
  expressionTask,
  externalWorkerTask,
  timerEventListener,
  ...eventListeners,
};
