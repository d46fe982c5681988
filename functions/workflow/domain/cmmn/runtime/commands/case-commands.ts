import { CmmnError, shown } from '../../basics/cmmn-error.ts';
import type { Command } from '../../contract/command.ts';
import type { DeployedCase } from '../../contract/environment.ts';
import { openCase } from '../instances/open-case.ts';
import { requireCaseCompletable } from '../operations/case-operations.ts';
import { reactivateCase } from '../operations/reactivation.ts';
import { resumeCase, suspendCase } from '../operations/suspension.ts';
import { isEnded, type LiveCase } from '../run/live-case.ts';
import {
  addTransient,
  findCase,
  latestDefinition,
  plan,
  planEvaluation,
  type Run,
  withCause,
} from '../run/run.ts';
import { removeCaseVariables, setCaseVariables } from '../variables/variables.ts';
import { planDiscretionaryItem } from './planning.ts';

type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;
type CaseCommandType = Exclude<Command, { planItemInstanceId: string }>['type'];
type Handlers = {
  readonly [Type in CaseCommandType]: (run: Run, command: CommandOf<Type>) => void;
};

/** Commands for a whole case (CMMN 1.1, 8.4). */
export const CASE_COMMANDS: Handlers = {
  start(run, command) {
    if (run.root) {
      throw new CmmnError('COMMAND_INVALID', 'A case is started without a state.');
    }
    const { tenantId, name, businessKey, businessStatus } = command;
    const deployed = definitionToStart(run, command);
    addTransient(run, command.transientVariables);
    openCase(run, deployed, {
      id: command.caseInstanceId,
      tenantId,
      name,
      businessKey,
      businessStatus,
      variables: command.variables,
    });
  },

  completeCase(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    addTransient(run, command.transientVariables);
    setCaseVariables(run, caseInstance, command.variables);
    if (!command.force && !caseInstance.completable) {
      requireCaseCompletable(run, caseInstance, true);
      throw new CmmnError('CASE_NOT_COMPLETABLE', 'The case cannot be completed yet.', {
        caseInstanceId: caseInstance.id,
      });
    }
    plan(run, { kind: 'completeCase', caseInstance });
  },

  terminate(run, command) {
    const caseInstance = caseOf(run, command.caseInstanceId);
    if (isEnded(caseInstance)) throw notActive(caseInstance);
    plan(run, { kind: 'terminateCase', caseInstance });
  },

  suspend(run, command) {
    suspendCase(run, activeCase(run, command.caseInstanceId), true);
  },

  resume(run, command) {
    const caseInstance = caseOf(run, command.caseInstanceId);
    if (caseInstance.state !== 'suspended') throw notActive(caseInstance);
    resumeCase(run, caseInstance);
  },

  reactivate(run, command) {
    const caseInstance = caseOf(run, command.caseInstanceId);
    if (!isEnded(caseInstance)) {
      const { id: caseInstanceId, state } = caseInstance;
      const details = { caseInstanceId, state };
      throw new CmmnError('CASE_NOT_ENDED', `The case is ${state}: it has not ended.`, details);
    }
    addTransient(run, command.transientVariables);
    setCaseVariables(run, caseInstance, command.variables);
    reactivateCase(run, caseInstance);
  },

  setVariables(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    addTransient(run, command.transientVariables);
    setCaseVariables(run, caseInstance, command.variables);
    run.touched.add(caseInstance);
  },

  removeVariables(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    removeCaseVariables(run, caseInstance, command.names);
    for (const variableName of command.names) {
      if (!caseInstance.model.heardVariables.has(variableName)) continue;
      run.touched.add(caseInstance);
      planEvaluation(run, caseInstance, {
        kind: 'caseFileItem',
        variableName,
        transition: 'delete',
      });
    }
  },

  evaluate(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    run.touched.add(caseInstance);
  },

  signal(run, command) {
    const root = activeCase(run, command.caseInstanceId);
    addTransient(run, command.transientVariables);
    setCaseVariables(run, root, command.variables);
    run.touched.add(root);
    const receivers = command.caseInstanceId === undefined ? run.cases : [root];
    for (const caseInstance of receivers) {
      if (caseInstance.state === 'active') deliverSignal(run, caseInstance, command.name);
    }
  },

  plan(run, command) {
    const caseInstance = activeCase(run, command.caseInstanceId);
    addTransient(run, command.transientVariables);
    setCaseVariables(run, caseInstance, command.variables);
    const { discretionaryItemId, containerInstanceId, roles } = command;
    planDiscretionaryItem(run, caseInstance, discretionaryItemId, containerInstanceId, roles);
  },
};

/** @throws CmmnError `CASE_DEFINITION_NOT_FOUND`, `COMMAND_INVALID` */
function definitionToStart(
  run: Run,
  { definitionId, definitionKey, tenantId }: CommandOf<'start'>,
): DeployedCase {
  if (definitionId === undefined && definitionKey !== undefined) {
    return latestDefinition(run, definitionKey, tenantId);
  }
  if (definitionId === undefined || definitionKey !== undefined) {
    const message = 'A case is started by the key or by the id of its definition.';
    throw new CmmnError('COMMAND_INVALID', message);
  }
  const deployed = run.environment.definitions.byId(definitionId);
  if (deployed) return deployed;
  const message = `There is no case definition "${shown(definitionId)}".`;
  throw new CmmnError('CASE_DEFINITION_NOT_FOUND', message, { reference: definitionId });
}

/** Raises every available signal listener that waits for the name. */
function deliverSignal(run: Run, caseInstance: LiveCase, name: string): void {
  for (const item of [...caseInstance.planItems]) {
    const { definition } = item.planItem;
    if (definition.type !== 'signalEventListener' || item.state !== 'available') continue;
    if (item.signalName !== name) continue;
    withCause(run, 'signal', () => run.behaviors[definition.type].onTrigger?.(run, item));
  }
}

/** The root case, or the one with the id. @throws CmmnError `CASE_NOT_FOUND` */
function caseOf(run: Run, id: string | undefined): LiveCase {
  const found = id === undefined ? run.root : findCase(run, id);
  if (found) return found;
  throw new CmmnError('CASE_NOT_FOUND', `There is no case "${id ?? ''}".`, { caseInstanceId: id });
}

/** @throws CmmnError `CASE_SUSPENDED`, `CASE_NOT_ACTIVE` */
function activeCase(run: Run, id: string | undefined): LiveCase {
  const caseInstance = caseOf(run, id);
  if (caseInstance.state !== 'active') throw notActive(caseInstance);
  return caseInstance;
}

/** The error for a case that is not active. */
export function notActive({ id: caseInstanceId, state }: LiveCase): CmmnError {
  const code = state === 'suspended' ? 'CASE_SUSPENDED' : 'CASE_NOT_ACTIVE';
  return new CmmnError(code, `The case is ${state}.`, { caseInstanceId, state });
}
