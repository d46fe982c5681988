import type { VariableChangeType } from '../../model/event-listener.ts';
import type { CaseOperation } from '../run/agenda.ts';
import type { LiveCase, VariableChange } from '../run/live-case.ts';
import { plan, planEvaluation, type Run, withCause } from '../run/run.ts';

/** Marks a change as seen by the sentries with case file items. */
const SENTRIES = 'case file item on-parts';

/** Plans the notification of listeners and sentries that wait for variables that have changed. */
export function planHearing(run: Run, caseInstance: LiveCase): void {
  const { model, changes } = caseInstance;
  if (changes.length === 0) return;
  if (model.hasVariableListeners) plan(run, { kind: 'hearVariableChanges', caseInstance });
  for (const change of changes) {
    if (!model.heardVariables.has(change.name) || change.heardBy.has(SENTRIES)) continue;
    change.heardBy.add(SENTRIES);
    const { name: variableName, kind: transition } = change;
    planEvaluation(run, caseInstance, { kind: 'caseFileItem', variableName, transition });
  }
}

/**
 * Raises the variable event listeners that are available, once for each change and definition. A change is
 * kept until the command ends, so that a listener created by the same command is raised too.
 */
export function hearVariableChanges(
  run: Run,
  { caseInstance }: Extract<CaseOperation, { kind: 'hearVariableChanges' }>,
): void {
  for (const change of caseInstance.changes) {
    for (const item of [...caseInstance.planItems]) {
      const { definition } = item.planItem;
      if (definition.type !== 'variableEventListener' || item.state !== 'available') continue;
      if (change.heardBy.has(definition.id) || definition.variableName !== change.name) continue;
      if (!isMeant(definition.variableChangeType, change)) continue;
      change.heardBy.add(definition.id);
      withCause(run, 'variableChange', () => run.behaviors[definition.type].onTrigger?.(run, item));
    }
  }
}

function isMeant(wanted: VariableChangeType, { kind }: VariableChange): boolean {
  return wanted === 'all' || wanted === kind || (wanted === 'update-create' && kind !== 'delete');
}
