import { toText } from '../../expression/coercion.ts';
import { HostObject, type Value } from '../../expression/host-object.ts';
import type { PlanItemState } from '../../model/transition.ts';
import { isTerminal } from '../../model/transition.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';

/** Instances that look alike to a query: one live instance, or all that have ended before in the same way. */
interface Row {
  readonly definitionId: string;
  readonly name: string;
  readonly state: PlanItemState | undefined;
  readonly stage: LivePlanItem | undefined;
  readonly count: number;
}

const STATES: Readonly<Record<string, PlanItemState>> = {
  active: 'active',
  available: 'available',
  enabled: 'enabled',
  disabled: 'disabled',
  completed: 'completed',
  failed: 'failed',
  suspended: 'suspended',
  terminated: 'terminated',
  unavailable: 'unavailable',
  waitingForRepetition: 'wait_repetition',
};

/** `planItemInstances` as expressions see it: a query that every method narrows. */
export function planItemInstancesObject(
  caseInstance: LiveCase,
  item: LivePlanItem | undefined,
): HostObject {
  return queryOver(rowsOf(caseInstance), item);
}

function rowsOf(caseInstance: LiveCase): Row[] {
  const rows: Row[] = caseInstance.planItems.map((item) => ({
    definitionId: item.planItem.definition.id,
    name: item.name,
    state: item.state,
    stage: item.stage,
    count: 1,
  }));
  for (const [planItemId, counts] of Object.entries(caseInstance.endedCounts)) {
    const planItem = caseInstance.model.planItems.get(planItemId);
    if (!planItem) continue;
    for (const [state, count] of Object.entries(counts)) {
      rows.push({
        definitionId: planItem.definition.id,
        name: planItem.item.name ?? planItem.definition.name ?? '',
        state: state as PlanItemState,
        stage: undefined,
        count,
      });
    }
  }
  return rows;
}

function queryOver(rows: readonly Row[], item: LivePlanItem | undefined): HostObject {
  const where = (keep: (row: Row) => boolean): HostObject => queryOver(rows.filter(keep), item);
  const anyOf = (texts: readonly Value[]): ReadonlySet<string> =>
    new Set(texts.flat().map((text) => toText(text)));
  const byDefinition = (...ids: readonly Value[]): HostObject => {
    const wanted = anyOf(ids);
    return where((row) => wanted.has(row.definitionId));
  };
  const byName = (...names: readonly Value[]): HostObject => {
    const wanted = anyOf(names);
    return where((row) => wanted.has(row.name));
  };
  const definitionIds = (): string[] => rows.map((row) => row.definitionId);
  const names = (): string[] => rows.map((row) => row.name);
  const states = Object.entries(STATES).map(([method, state]) => [
    method,
    () => where((row) => row.state === state),
  ]);
  return new HostObject(
    {},
    {
      ...Object.fromEntries(states),
      definitionId: byDefinition,
      definitionIds: byDefinition,
      name: byName,
      names: byName,
      currentStage: () => where((row) => row.stage === item?.stage),
      onlyTerminal: () => where((row) => isTerminal(row.state)),
      onlyNonTerminal: () => where((row) => !isTerminal(row.state)),
      count: () => rows.reduce((sum, row) => sum + row.count, 0),
      exists: () => rows.length > 0,
      getDefinitionId: definitionIds,
      getDefinitionIds: definitionIds,
      getName: names,
      getNames: names,
    },
  );
}
