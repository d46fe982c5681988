import type { EventFacts } from '../cases/family-change.ts';
import type { Effect, PlanItemFacts, PlanItemTransition } from '../cmmn/index.ts';
import type { CompletedStepFacts, StepFacts } from './payloads.ts';
import { CASE_TOPICS, type CaseTopic } from './topics.ts';

type Transition = Extract<Effect, { type: 'planItemTransition' }>;
type Happening = 'started' | 'enabled' | 'completed' | 'terminated';

/** What each transition is for others; the rest concerns only the engine. */
const HAPPENINGS: Readonly<Partial<Record<PlanItemTransition, Happening>>> = {
  start: 'started',
  manualStart: 'started',
  enable: 'enabled',
  reenable: 'enabled',
  complete: 'completed',
  occur: 'completed',
  terminate: 'terminated',
  exit: 'terminated',
  fault: 'terminated',
};

const OF_STEPS: Readonly<Record<Happening, CaseTopic>> = {
  started: CASE_TOPICS.stepStarted,
  enabled: CASE_TOPICS.stepEnabled,
  completed: CASE_TOPICS.stepCompleted,
  terminated: CASE_TOPICS.stepTerminated,
};

const OF_STAGES: Readonly<Partial<Record<Happening, CaseTopic>>> = {
  started: CASE_TOPICS.stageStarted,
  completed: CASE_TOPICS.stageCompleted,
  terminated: CASE_TOPICS.stageTerminated,
};

/** Events of a plan item that changes its state; a stage is a step, and has topics of its own besides. */
export function stepEvents(effect: Transition, outcome: string | undefined): EventFacts[] {
  const happening = HAPPENINGS[effect.transition];
  if (!happening) return [];
  const ofStage = effect.definitionType === 'stage' ? OF_STAGES[happening] : undefined;
  const topics = ofStage ? [OF_STEPS[happening], ofStage] : [OF_STEPS[happening]];
  const { caseInstanceId } = effect;
  const data =
    happening === 'completed' ? completedFacts(effect, outcome) : { ...stepFacts(effect) };
  return topics.map((topic) => ({ topic, caseInstanceId, data: { ...data } }));
}

/** The names of a plan item, as events have them. */
export const namesOf = ({
  planItemInstanceId,
  planItemId,
  definitionKey,
  name,
  stageInstanceId,
}: PlanItemFacts) => ({
  planItemInstanceId,
  planItemId,
  planItemDefinitionKey: definitionKey,
  name,
  stageInstanceId,
});

const stepFacts = (effect: Transition): StepFacts => ({
  ...namesOf(effect),
  type: effect.definitionType,
  state: effect.to,
  at: effect.at,
  cause: effect.cause,
  criterionId: effect.criterionId,
});

const completedFacts = (effect: Transition, outcome: string | undefined): CompletedStepFacts => ({
  ...stepFacts(effect),
  outcome,
  completedBy: effect.cause === 'command' ? effect.by : undefined,
});
