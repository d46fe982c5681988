import type { CommandType } from '../../contract/command.ts';
import type {
  CaseInstance,
  NamedInstance,
  PlanItemInstance,
  TaskFacts,
} from '../../contract/state.ts';
import type { CaseDefinition } from '../../model/case-definition.ts';
import { type CaseModel, nameText } from '../../model/case-model.ts';
import type { PlanItemDefinitionType } from '../../model/plan-item-definition.ts';
import { counterOf } from '../instances/plan-item-instances.ts';
import { loadTask } from '../run/stored-task.ts';
import { caseOf } from './case-of.ts';

/** A plan item instance with facts of its definition and the commands that it accepts now. */
export interface PlanItemView {
  /** As it is stored, with what its definition says as a constant: its name and all facts of its task. */
  readonly instance: NamedInstance & { readonly task?: TaskFacts };
  readonly definitionKey: string;
  readonly definitionType: PlanItemDefinitionType;
  readonly allowedCommands: readonly CommandType[];
  /** Which of its repetition it is, from 1; absent: it does not repeat. */
  readonly repetitionCounter?: number | undefined;
}

/**
 * The live plan item instances of a case, in order of their creation.
 * @throws CmmnError `STATE_INVALID` when the case is not of this definition
 */
export function viewPlanItems(
  stored: CaseInstance,
  definition: CaseDefinition,
): readonly PlanItemView[] {
  const [caseInstance, model] = caseOf(stored, definition);
  const suspended = new Set(
    caseInstance.planItems.flatMap(({ id, state }) => (state === 'suspended' ? id : [])),
  );
  return caseInstance.planItems.map((instance) => {
    const isHeld = suspended.has(instance.stageInstanceId ?? '');
    return viewPlanItem(caseInstance, instance, model, isHeld);
  });
}

function viewPlanItem(
  { state }: CaseInstance,
  instance: PlanItemInstance,
  model: CaseModel,
  isHeld: boolean,
): PlanItemView {
  const node = model.planItems.get(instance.planItemId);
  const definition = node?.definition;
  const definitionType = definition?.type ?? 'task';
  const { task: stored, startedAt } = instance;
  const name = instance.name ?? (node ? nameText(node) : '');
  const task =
    stored && definition?.type === 'humanTask'
      ? loadTask(stored, definition, startedAt)
      : undefined;
  return {
    instance: { ...instance, name, task },
    definitionKey: definition?.id ?? '',
    definitionType,
    allowedCommands: state === 'active' ? allowedCommands(instance, definitionType, isHeld) : [],
    repetitionCounter:
      node && (counterOf({ planItem: node, variables: instance.variables }) || undefined),
  };
}

function allowedCommands(
  { state, completable }: PlanItemInstance,
  type: PlanItemDefinitionType,
  isHeld: boolean,
): CommandType[] {
  const always: CommandType[] = ['terminatePlanItem'];
  switch (state) {
    case 'enabled':
      return ['startPlanItem', 'disable', 'suspendPlanItem', ...always];
    case 'disabled':
      return ['enable', 'suspendPlanItem', ...always];
    case 'suspended':
      return isHeld ? always : ['resumePlanItem', ...always];
    case 'available':
      return type.endsWith('Listener')
        ? ['trigger', 'suspendPlanItem', ...always]
        : ['enable', 'suspendPlanItem', ...always];
    case 'active':
      return [...completing(type, completable ?? false), 'suspendPlanItem', ...always];
    default:
      return always;
  }
}

function completing(type: PlanItemDefinitionType, completable: boolean): CommandType[] {
  if (type === 'stage') return completable ? ['completeStage', 'trigger'] : [];
  if (type === 'humanTask') return ['completeTask', 'trigger'];
  if (type === 'externalWorkerTask') return ['completeExternalWork', 'failExternalWork', 'trigger'];
  return ['trigger'];
}
