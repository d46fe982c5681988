import { toText } from '../../expression/coercion.ts';
import { toJson } from '../../expression/expression.ts';
import { ExpressionError } from '../../expression/expression-error.ts';
import { HostObject, type Value } from '../../expression/host-object.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import type { Run } from '../run/run.ts';
import { readVariable, setCaseVariable, setLocalVariable, setVariable } from './variables.ts';

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

/** `caseInstance` as expressions see it. */
export function caseInstanceObject(run: Run, live: LiveCase, options: Writing): HostObject {
  const { source } = live;
  const read = (name: Value): Value => readVariable(run, live, undefined, toText(name));
  return new HostObject(
    {
      id: () => live.id,
      name: () => live.name ?? null,
      businessKey: () => source.businessKey ?? null,
      businessStatus: () => live.businessStatus ?? null,
      state: () => live.state,
      definitionKey: () => source.definitionKey,
      caseDefinitionKey: () => source.definitionKey,
      tenantId: () => source.tenantId ?? null,
      startTime: () => source.startedAt,
      startUserId: () => source.startedBy ?? null,
    },
    {
      getVariable: (name) => read(name) ?? null,
      hasVariable: (name) => read(name) !== undefined,
      setVariable: (name, value) =>
        write(options, () => setCaseVariable(run, live, toText(name), toJson(value))),
    },
  );
}

/** `planItemInstance` as expressions see it. */
export function planItemInstanceObject(run: Run, item: LivePlanItem, options: Writing): HostObject {
  const read = (name: Value): Value => readVariable(run, item.caseInstance, item, toText(name));
  return new HostObject(
    {
      id: () => item.id,
      name: () => item.name,
      state: () => item.state ?? null,
      assignee: () => item.task?.assignee ?? null,
      planItemDefinitionId: () => item.planItem.definition.id,
      stageInstanceId: () => item.stage?.id ?? null,
      caseInstanceId: () => item.caseInstance.id,
    },
    {
      getVariable: (name) => read(name) ?? null,
      getVariableLocal: (name) => item.variables?.[toText(name)] ?? null,
      hasVariable: (name) => read(name) !== undefined,
      setVariable: (name, value) =>
        write(options, () => setVariable(run, item, toText(name), toJson(value))),
      setVariableLocal: (name, value) =>
        write(options, () => setLocalVariable(run, item, toText(name), toJson(value))),
    },
  );
}

/** `task` as expressions see it: the open task of a human task instance. */
export function taskObject(item: LivePlanItem): HostObject {
  const facts = item.task;
  return new HostObject({
    id: () => item.id,
    name: () => item.name,
    assignee: () => facts?.assignee ?? null,
    owner: () => facts?.owner ?? null,
    priority: () => facts?.priority ?? null,
    dueDate: () => facts?.dueDate ?? null,
    formKey: () => facts?.formKey ?? null,
    category: () => facts?.category ?? null,
  });
}
