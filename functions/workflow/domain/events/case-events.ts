import type { CaseHead } from '../cases/case-facts.ts';
import type { ExecutionFacts } from '../cases/changes-of.ts';
import type { EventFacts } from '../cases/family-change.ts';
import { closingOf, openedTask } from '../cases/task-record.ts';
import type { Effect } from '../cmmn/index.ts';
import type {
  EndedProcessFacts,
  EndedTaskFacts,
  MilestoneFacts,
  ProcessFacts,
  TaskEventFacts,
  TimerFacts,
} from './payloads.ts';
import { isSent } from './selection.ts';
import { namesOf, stepEvents } from './step-events.ts';
import { CASE_TOPICS, type CaseTopic } from './topics.ts';

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;
type TimerEffect = Extract<
  Effect,
  { dueAt: string; type: 'timerFired' | 'timerScheduled' | 'timerCancelled' }
>;

/**
 * The events that tell others of a command, in the order in which things have happened. What `svc.workflow.events`
 * leaves out takes no number of its case.
 */
export function caseEvents(execution: ExecutionFacts, patterns: readonly string[]): EventFacts[] {
  return execution.effects
    .flatMap((effect) => eventsOf(effect, execution))
    .filter(({ topic }) => isSent(patterns, topic));
}

function eventsOf(effect: Effect, { headOf, outcomes }: ExecutionFacts): EventFacts[] {
  const { caseInstanceId } = effect;
  const event = (topic: CaseTopic, data: object): EventFacts[] => [
    { topic, caseInstanceId, data: { ...data } },
  ];
  const head = (): CaseHead => headOf(caseInstanceId);
  switch (effect.type) {
    case 'caseStarted':
      return event(CASE_TOPICS.processStarted, processFacts(head()));
    case 'caseEnded':
      return event(
        END_TOPICS[effect.state] ?? CASE_TOPICS.processTerminated,
        ended(effect, head()),
      );
    case 'caseSuspended':
      return event(CASE_TOPICS.processSuspended, processFacts(head()));
    case 'caseResumed':
      return event(CASE_TOPICS.processResumed, processFacts(head()));
    case 'caseReactivated':
      return event(CASE_TOPICS.processReactivated, processFacts(head()));
    case 'planItemTransition':
      return stepEvents(effect, outcomes?.[effect.planItemInstanceId]);
    case 'milestoneReached':
      return event(CASE_TOPICS.milestoneReached, reached(effect));
    case 'timerFired':
      return event(CASE_TOPICS.timerFired, fired(effect));
    case 'taskCreated':
      return event(CASE_TOPICS.taskCreated, taskFacts(effect, head()));
    case 'taskCompleted':
      return event(CASE_TOPICS.taskCompleted, endedTask(effect, outcomes));
    case 'taskCancelled':
      return event(CASE_TOPICS.taskCancelled, endedTask(effect, outcomes));
    default:
      return [];
  }
}

const END_TOPICS: Readonly<Partial<Record<CaseHead['state'], CaseTopic>>> = {
  completed: CASE_TOPICS.processCompleted,
  failed: CASE_TOPICS.processFailed,
};

const processFacts = (head: CaseHead): ProcessFacts => ({
  name: head.name,
  caseDefinitionKey: head.caseDefinitionKey,
  businessStatus: head.businessStatus,
  startedBy: head.startedBy,
  startedAt: head.startedAt,
  parentCaseInstanceId: head.parentCaseInstanceId,
});

const ended = ({ state, at, cause }: EffectOf<'caseEnded'>, head: CaseHead): EndedProcessFacts => ({
  ...processFacts(head),
  endState: state,
  endedAt: at,
  durationMs: Date.parse(at) - Date.parse(head.startedAt),
  cause,
});

const reached = (effect: EffectOf<'milestoneReached'>): MilestoneFacts => ({
  ...namesOf(effect),
  reachedAt: effect.at,
});

const fired = (effect: TimerEffect): TimerFacts => ({
  ...namesOf(effect),
  dueAt: effect.dueAt,
  firedAt: effect.at,
});

function taskFacts(effect: EffectOf<'taskCreated'>, head: CaseHead): TaskEventFacts {
  const { taskId, name, description, status, assignee, owner, ...task } = openedTask(effect, head);
  const { candidateUsers, candidateGroups, priority, dueDate, category, formKey } = task;
  const { taskDefinitionKey, stageInstanceId, caseName, createdAt } = task;
  return {
    ...{ taskId, engineTaskId: taskId, name, description, status, assignee, owner },
    ...{ candidateUsers, candidateGroups, priority, dueDate, category, formKey },
    ...{ taskDefinitionKey, planItemInstanceId: taskId, stageInstanceId, caseName, createdAt },
    engine: 'CMMN',
  };
}

function endedTask(
  effect: EffectOf<'taskCompleted'> | EffectOf<'taskCancelled'>,
  outcomes: ExecutionFacts['outcomes'],
): EndedTaskFacts {
  const { planItemInstanceId: taskId, definitionKey, name, stageInstanceId } = effect;
  return {
    ...{ taskId, engineTaskId: taskId, planItemInstanceId: taskId },
    ...{ taskDefinitionKey: definitionKey, name, stageInstanceId },
    ...closingOf(effect),
    outcome: effect.type === 'taskCompleted' ? outcomes?.[taskId] : undefined,
  };
}
