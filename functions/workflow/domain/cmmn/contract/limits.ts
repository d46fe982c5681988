/** Limits that a host may change. Sizes are characters of JSON. */
export interface Limits {
  /** Most elements of a collection that a plan item is repeated for. */
  readonly maxCollectionSize: number;
  /** Deepest chain of cases that start each other. */
  readonly maxCaseDepth: number;
  /** Most plan item instances that a family may have open after a command. */
  readonly maxPlanItems: number;
  /** Longest name of a variable. */
  readonly maxVariableNameLength: number;
  /** Longest text that a command brings along, or an expression gives to a name, a task, a signal or a key. */
  readonly maxTextLength: number;
  /** Size of all texts that the expressions of one command may give. */
  readonly maxTexts: number;
  /** Size of all variables that come with one command. */
  readonly maxCommandVariables: number;
  /** Size of all variables that a family may have after a command. */
  readonly maxVariables: number;
  /** Most overdue firings of a repeating timer that are caught up with; the older ones are left out. */
  readonly maxTimerCatchUp: number;
  /** Most operations that one command may run; large cases may run some for each of their plan items. */
  readonly maxOperations: number;
  /** Most plan item instances that the evaluations of one command may look at; large cases more. */
  readonly maxVisits: number;
  /** Most rounds of evaluation until a case has to be stable; large cases some for each of their plan items. */
  readonly maxRounds: number;
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
  maxCommandVariables: 256 * 1024,
  maxVariables: 4 * 1024 * 1024,
  maxTimerCatchUp: 100,
  maxOperations: 100_000,
  maxVisits: 5_000_000,
  maxRounds: 1_000,
  maxExpressionSteps: 20_000_000,
};

/** Most visits of even the largest case. */
const MOST_VISITS = 100_000_000;

/** What a command may use up in a case of so many plan items: each item in a row may look at all the others. */
export const budgetFor = (
  { maxOperations, maxVisits, maxRounds, maxExpressionSteps }: Limits,
  planItems: number,
): Pick<Limits, 'maxOperations' | 'maxVisits' | 'maxRounds' | 'maxExpressionSteps'> => ({
  maxOperations: maxOperations + 50 * planItems,
  maxVisits: Math.max(maxVisits, Math.min(maxVisits + 10 * planItems ** 2, MOST_VISITS)),
  maxRounds: maxRounds + 4 * planItems,
  maxExpressionSteps,
});
