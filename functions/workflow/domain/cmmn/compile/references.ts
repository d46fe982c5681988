import { constantText, type Expression } from '../expression/expression.ts';
import type { CaseDefinition } from '../model/case-definition.ts';
import type { PlanItemDefinition, Stage } from '../model/plan-item-definition.ts';

/** A case, process or decision that a task calls. */
export interface Reference {
  /** The task. */
  readonly elementId: string;
  /** Absent: an expression computes it when the task starts. */
  readonly key?: string;
  readonly expression?: string;
  /** It is looked for in the deployment of the case first. */
  readonly sameDeployment: boolean;
}

/** What a case may call. */
export interface CaseReferences {
  readonly cases: readonly Reference[];
  readonly processes: readonly Reference[];
  readonly decisions: readonly Reference[];
}

/**
 * What must be loaded before a command, because commands are synchronous: the definitions of these keys, and
 * those that they refer to. A key that an expression computes is requested by `CASE_DEFINITION_NOT_FOUND` or
 * `DECISION_NOT_FOUND`, whose details name what to load before the command is repeated.
 */
export function referencesOf({ planModel }: CaseDefinition): CaseReferences {
  const definitions = definitionsIn(planModel);
  return {
    cases: definitions.flatMap((task) =>
      task.type === 'caseTask' ? reference(task, task.caseRef, task.sameDeployment) : [],
    ),
    processes: definitions.flatMap((task) =>
      task.type === 'processTask' ? reference(task, task.processRef, task.sameDeployment) : [],
    ),
    decisions: definitions.flatMap((task) =>
      task.type === 'decisionTask' ? reference(task, task.decisionRef) : [],
    ),
  };
}

const definitionsIn = (stage: Stage): PlanItemDefinition[] =>
  stage.definitions.flatMap((definition) =>
    definition.type === 'stage' ? [definition, ...definitionsIn(definition)] : [definition],
  );

function reference(
  { id: elementId }: PlanItemDefinition,
  callee: Expression,
  sameDeployment = false,
): Reference {
  const key = constantText(callee);
  return key === undefined
    ? { elementId, expression: callee.text, sameDeployment }
    : { elementId, key, sameDeployment };
}
