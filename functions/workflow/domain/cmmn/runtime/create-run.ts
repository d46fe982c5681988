import { CmmnError } from '../basics/cmmn-error.ts';
import type { Command } from '../contract/command.ts';
import type { Environment } from '../contract/environment.ts';
import { type Limits, limitsOf } from '../contract/limits.ts';
import type { CaseInstance, EngineState } from '../contract/state.ts';
import type { CaseModel } from '../model/case-model.ts';
import { caseModelOf } from '../model/link-case-model.ts';
import { BEHAVIORS } from './elements/behaviors.ts';
import { refreshOverviews } from './instances/aggregation-overview.ts';
import { createAgenda } from './run/agenda.ts';
import { linkFamily, rootOf } from './run/family.ts';
import { isEnded, type LiveCase } from './run/live-case.ts';
import { markProven, proveCase } from './run/prove-case.ts';
import type { Run } from './run/run.ts';
import { loadCase } from './run/stored-case.ts';
import { casesOf } from './run/stored-state.ts';

/**
 * A run over the cases of a state. Children that ended before this command are left behind.
 * @throws CmmnError `STATE_INVALID`, `STATE_VERSION_UNKNOWN`, `FAMILY_INCOMPLETE`, `CASE_DEFINITION_NOT_FOUND`
 */
export function createRun(
  state: EngineState | undefined,
  command: Command | undefined,
  environment: Environment,
  limits: Limits = limitsOf(environment.limits),
): Run {
  const target = command && 'caseInstanceId' in command ? command.caseInstanceId : undefined;
  const stored = state ? casesOf(state) : [];
  const root = rootOf(stored);
  const cases = stored
    .filter((source) => source === root || source.id === target || !isEnded(source))
    .map((source) => revive(source, environment));
  linkFamily(cases);
  return {
    environment,
    limits,
    at: new Date(environment.now).toISOString(),
    cases,
    root: cases.find(({ id }) => id === root?.id),
    agenda: createAgenda(limits),
    effects: [],
    transient: {},
    touched: new Set(),
    refreshOverviews,
    cause: undefined,
    hasNewVariables: false,
    hasNewTexts: false,
    completableBefore: new Map(),
    behaviors: BEHAVIORS,
  };
}

function revive(source: CaseInstance, environment: Environment): LiveCase {
  const model = modelOf(source.definitionId, environment);
  proveCase(source, model);
  markProven(source, model);
  return loadCase(source, model);
}

function modelOf(definitionId: string, { definitions }: Environment): CaseModel {
  const deployed = definitions.byId(definitionId);
  if (deployed) return caseModelOf(deployed.definition);
  const message = `The case definition "${definitionId}" of a running case is gone.`;
  throw new CmmnError('CASE_DEFINITION_NOT_FOUND', message, { reference: definitionId });
}
