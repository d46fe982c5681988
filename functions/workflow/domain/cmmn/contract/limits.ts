/**
 * Limits that a host may change. Sizes are characters: of JSON for variables, of the texts themselves for texts.
 * The README has them with their defaults.
 */
export interface Limits {
  /** Most elements of a collection that a plan item is repeated for. */
  readonly maxCollectionSize: number;
  /** Deepest chain of cases that start each other. */
  readonly maxCaseDepth: number;
  /** Most plan item instances that a family may have open after a command. */
  readonly maxPlanItems: number;
  /** Longest name of a variable, in characters. */
  readonly maxVariableNameLength: number;
  /** Longest text that a command brings along, or an expression gives to a name, a task or a key. */
  readonly maxTextLength: number;
  /** Size of all texts that the expressions of one command may give. */
  readonly maxTexts: number;
  /** Size of all texts that a family may keep after a command: names, statuses, facts of tasks; not those of the model. */
  readonly maxCaseTexts: number;
  /** Size of all variables that come with one command. */
  readonly maxCommandVariables: number;
  /** Size of all variables that a family may have after a command. */
  readonly maxVariables: number;
  /** Size of all values that the effects of one command may carry; old values come on top. */
  readonly maxEffectVariables: number;
  /** Most overdue firings of a repeating timer that are caught up with; the older ones are left out. */
  readonly maxTimerCatchUp: number;
  /** Most operations that one command may run, beside those for each plan item. */
  readonly maxOperations: number;
  /** Operations more for each plan item of the largest case. */
  readonly operationsPerPlanItem: number;
  /** Most plan item instances that the evaluations of one command may look at, beside those for each pair. */
  readonly maxVisits: number;
  /** Visits more for each pair of plan items of the largest case: each in a row may look at all the others. */
  readonly visitsPerPair: number;
  /** Most visits of even the largest case. */
  readonly maxVisitsInAll: number;
  /** Most rounds of evaluation until a case has to be stable, beside those for each plan item. */
  readonly maxRounds: number;
  /** Rounds more for each plan item of the largest case. */
  readonly roundsPerPlanItem: number;
  /** Most steps that the expressions of one command may take. */
  readonly maxExpressionSteps: number;
}

/** The limits of a host that says nothing. */
export const DEFAULT_LIMITS: Limits = {
  maxCollectionSize: 200,
  maxCaseDepth: 32,
  maxPlanItems: 10_000,
  maxVariableNameLength: 255,
  maxTextLength: 4_000,
  maxTexts: 4 * 1024 * 1024,
  maxCaseTexts: 4 * 1024 * 1024,
  maxCommandVariables: 256 * 1024,
  maxVariables: 4 * 1024 * 1024,
  maxEffectVariables: 4 * 1024 * 1024,
  maxTimerCatchUp: 100,
  maxOperations: 100_000,
  operationsPerPlanItem: 50,
  maxVisits: 5_000_000,
  visitsPerPair: 10,
  maxVisitsInAll: 100_000_000,
  maxRounds: 1_000,
  roundsPerPlanItem: 4,
  maxExpressionSteps: 20_000_000,
};

/** The limits of a host: what it leaves open is as by default. */
export function limitsOf(limits?: Partial<Limits>): Limits {
  if (!limits) return DEFAULT_LIMITS;
  const given = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given) };
}

/** Limits of one command. */
export type Budget = Pick<
  Limits,
  'maxOperations' | 'maxVisits' | 'maxRounds' | 'maxExpressionSteps'
>;

/** Limits of a command in a case of a given number of plan items. */
export function budgetFor(limits: Limits, planItems: number): Budget {
  const { maxVisits, maxExpressionSteps } = limits;
  const visits = Math.min(maxVisits + limits.visitsPerPair * planItems ** 2, limits.maxVisitsInAll);
  return {
    maxOperations: limits.maxOperations + limits.operationsPerPlanItem * planItems,
    maxVisits: Math.max(maxVisits, visits),
    maxRounds: limits.maxRounds + limits.roundsPerPlanItem * planItems,
    maxExpressionSteps,
  };
}
