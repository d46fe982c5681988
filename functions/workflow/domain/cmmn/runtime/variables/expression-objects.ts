import { toText } from '../../expression/coercion.ts';
import { toJson } from '../../expression/expression.ts';
import { ExpressionError } from '../../expression/expression-error.ts';
import { HostObject, type Value } from '../../expression/host-object.ts';
import type {
  CASE_PROPERTIES,
  PLAN_ITEM_PROPERTIES,
  TASK_PROPERTIES,
} from '../../expression/known-names.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';
import {
  allVariables,
  readVariable,
  setCaseVariable,
  setLocalVariable,
  setVariable,
} from './variables.ts';

interface Writing {
  readonly mayWrite?: boolean;
}

function write({ mayWrite }: Writing, change: () => void): null {
  if (!mayWrite) {
    throw new ExpressionError('variables are set in expression tasks and lifecycle listeners only');
  }
  change();
  return null;
}

type Properties<Names extends readonly string[]> = Readonly<Record<Names[number], () => Value>>;
/** `caseInstance` as expressions see it. */
export function caseInstanceObject(run: Run, live: LiveCase, options: Writing): HostObject {
  const read = (name: Value): Value => readVariable(run, live, undefined, toText(name));
  return new HostObject(caseProperties(run, live), {
    getVariable: (name) => read(name) ?? null,
    hasVariable: (name) => read(name) !== undefined,
    setVariable: (name, value) =>
      write(options, () => setCaseVariable(run, live, toText(name), toJson(value))),
  });
}

function caseProperties(run: Run, live: LiveCase): Properties<typeof CASE_PROPERTIES> {
  const { source } = live;
  return {
    id: () => live.id,
    name: () => live.name ?? null,
    businessKey: () => source.businessKey ?? null,
    businessStatus: () => live.businessStatus ?? null,
    state: () => live.state,
    completable: () => live.completable,
    definitionKey: () => source.definitionKey,
    caseDefinitionId: () => source.definitionId,
    caseDefinitionKey: () => source.definitionKey,
    parentId: () => live.parent?.caseInstanceId ?? null,
    tenantId: () => source.tenantId ?? null,
    startTime: () => source.startedAt,
    startUserId: () => source.startedBy ?? null,
    endTime: () => live.endedAt ?? null,
    lastReactivationTime: () => live.reactivatedAt ?? null,
    variables: () => allVariables(run, live, undefined),
  };
}

/** `planItemInstance` as expressions see it. */
export function planItemInstanceObject(run: Run, item: LivePlanItem, options: Writing): HostObject {
  const read = (name: Value): Value => readVariable(run, item.caseInstance, item, toText(name));
  return new HostObject(planItemProperties(run, item), {
    getVariable: (name) => read(name) ?? null,
    getVariableLocal: (name) => item.variables?.[toText(name)] ?? null,
    hasVariable: (name) => read(name) !== undefined,
    setVariable: (name, value) =>
      write(options, () => setVariable(run, item, toText(name), toJson(value))),
    setVariableLocal: (name, value) =>
      write(options, () => setLocalVariable(run, item, toText(name), toJson(value))),
  });
}

function planItemProperties(run: Run, item: LivePlanItem): Properties<typeof PLAN_ITEM_PROPERTIES> {
  const { planItem, caseInstance } = item;
  return {
    id: () => item.id,
    name: () => item.name,
    state: () => item.state ?? null,
    assignee: () => item.task?.assignee ?? null,
    completable: () => item.completable ?? false,
    elementId: () => planItem.id,
    planItemDefinitionId: () => planItem.definition.id,
    planItemDefinitionType: () => planItem.definition.type,
    stageInstanceId: () => item.stage?.id ?? null,
    caseInstanceId: () => caseInstance.id,
    caseDefinitionId: () => caseInstance.source.definitionId,
    tenantId: () => caseInstance.source.tenantId ?? null,
    entryCriterionId: () => item.entryCriterionId ?? null,
    exitCriterionId: () => item.exitCriterionId ?? null,
    createTime: () => item.createdAt,
    referenceId: () => item.childCaseInstanceId ?? null,
    variables: () => allVariables(run, caseInstance, item),
  };
}

/** `task` as expressions see it: the open task of a human task instance. */
export function taskObject(item: LivePlanItem): HostObject {
  const facts = item.task;
  const properties: Properties<typeof TASK_PROPERTIES> = {
    id: () => item.id,
    name: () => item.name,
    description: () => facts?.description ?? null,
    assignee: () => facts?.assignee ?? null,
    owner: () => facts?.owner ?? null,
    priority: () => facts?.priority ?? null,
    dueDate: () => facts?.dueDate ?? null,
    formKey: () => facts?.formKey ?? null,
    category: () => facts?.category ?? null,
    taskDefinitionKey: () => item.planItem.definition.id,
  };
  return new HostObject(properties);
}
