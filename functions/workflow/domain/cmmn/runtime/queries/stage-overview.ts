import type { CaseInstance } from '../../contract/state.ts';
import type { CaseDefinition } from '../../model/case-definition.ts';
import type { PlanItemNode, StageNode } from '../../model/case-model.ts';
import { caseOf } from './case-of.ts';

/** One step of the progress bar of a case (extension of Flowable). */
export interface StageOverviewEntry {
  readonly planItemId: string;
  readonly definitionKey: string;
  readonly type: 'stage' | 'milestone';
  readonly name: string;
  readonly isCurrent: boolean;
  readonly isEnded: boolean;
}

/**
 * The stages and milestones of a case that want to be shown, in their display order; without one, in the order
 * of the model. A stage is shown unless it says no, a milestone only if it says yes.
 * @throws CmmnError `STATE_INVALID` when the case is not of this definition
 */
export function stageOverview(
  stored: CaseInstance,
  definition: CaseDefinition,
): readonly StageOverviewEntry[] {
  const [caseInstance, model] = caseOf(stored, definition);
  const nodes = shownNodes(model.planModel);
  nodes.sort((left, right) => orderOf(left) - orderOf(right));
  return nodes.map((node) => entryOf(node, caseInstance));
}

function shownNodes(stage: StageNode): PlanItemNode[] {
  return stage.children.flatMap((node) => {
    const { definition } = node;
    const inner = node.stage ? shownNodes(node.stage) : [];
    if (definition.type === 'stage') {
      return definition.includeInStageOverview === false ? inner : [node, ...inner];
    }
    const isShown = definition.type === 'milestone' && definition.includeInStageOverview === true;
    return isShown ? [node] : [];
  });
}

function orderOf({ definition }: PlanItemNode): number {
  const order = 'displayOrder' in definition ? definition.displayOrder : undefined;
  return order ?? Number.MAX_SAFE_INTEGER;
}

function entryOf(node: PlanItemNode, { planItems, endedCounts }: CaseInstance): StageOverviewEntry {
  const { id, item, definition } = node;
  const live = planItems.filter(({ planItemId }) => planItemId === id);
  const isCurrent = live.some(({ state }) => state === 'active' || state === 'suspended');
  return {
    planItemId: id,
    definitionKey: definition.id,
    type: definition.type === 'milestone' ? 'milestone' : 'stage',
    name: item.name ?? definition.name ?? '',
    isCurrent,
    isEnded: !isCurrent && endedCounts[id] !== undefined,
  };
}
