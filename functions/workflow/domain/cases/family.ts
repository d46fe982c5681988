import type { CaseInstance, EngineState, TaskChange } from '../cmmn/index.ts';
import type { CaseFacts } from './case-facts.ts';

/** The content of a family: what is stored, and versioned, as one. */
export interface FamilyContent {
  readonly state: EngineState;
  /** By case. */
  readonly facts: Readonly<Record<string, CaseFacts>>;
  /** Topics of the external work that is open, by plan item instance. */
  readonly topics: Readonly<Record<string, string>>;
}

/** Changes of a task since the family was written. */
export interface ChangedTask {
  readonly taskId: string;
  readonly change: TaskChange;
  readonly version: number;
}

/** A loaded family. */
export interface Family extends FamilyContent {
  readonly familyId: string;
  readonly version: number;
  readonly changedTasks: readonly ChangedTask[];
}

/** The case of a family. */
export const caseIn = ({ state }: FamilyContent, id: string): CaseInstance | undefined =>
  state.cases.find((candidate) => candidate.id === id);

/** Its tasks as the engine is to know them before a command. */
export const taskChanges = ({ changedTasks }: Family): Readonly<Record<string, TaskChange>> =>
  Object.fromEntries(changedTasks.map(({ taskId, change }) => [taskId, change]));
