import { CmmnError } from '../../basics/cmmn-error.ts';
import type { Environment } from '../../contract/environment.ts';
import type { EngineState } from '../../contract/state.ts';
import { type PlannableItem, plannableItems } from '../commands/planning.ts';
import { createRun } from '../create-run.ts';
import type { LiveCase } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';

/** Questions are asked like commands, but leave nothing behind. */
export type QueryEnvironment = Pick<Environment, 'definitions' | 'now' | 'user'>;

/** A run over a state in which nothing can be created. */
export function createQuery(state: EngineState, environment: QueryEnvironment): Run {
  return createRun(state, undefined, { ...environment, newId: () => '' });
}

/** Discretionary items that could be planned now (CMMN 1.1, 8.7), by a caller with the roles. */
export function listPlannable(
  state: EngineState,
  environment: QueryEnvironment,
  roles?: readonly string[],
): readonly PlannableItem[] {
  const run = createQuery(state, environment);
  return run.cases.flatMap((caseInstance) => plannableItems(run, caseInstance, roles));
}

/** The case with the id, or the root case. @throws CmmnError `CASE_NOT_FOUND` */
export function queriedCase(run: Run, id?: string): LiveCase {
  const found = id === undefined ? run.root : run.cases.find((live) => live.id === id);
  if (found) return found;
  throw new CmmnError('CASE_NOT_FOUND', `There is no case "${id ?? ''}".`, { caseInstanceId: id });
}
