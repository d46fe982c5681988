import type { JsonValue } from '../../cmmn/basics/json.ts';
import type { ProcessModel } from '../model/process-model.ts';
import type { ProcessStep } from '../model/process-state.ts';
import type { EngineActivity } from './engine-messages.ts';
import type { Expressions } from './expressions.ts';

export interface ServiceWorkDependencies {
  readonly model: ProcessModel;
  readonly expressions: Expressions;
  readonly setVariable: (name: string, value: JsonValue) => void;
  readonly tell: (step: ProcessStep) => void;
}

/** Gives a service task its work: an expression, or a message that is published. */
export function setService(
  { id, behaviour }: EngineActivity,
  given: ServiceWorkDependencies,
): void {
  const work = workOf(id, given);
  if (!work) return;
  behaviour.Service = function Service() {
    return {
      execute: (_message: unknown, done: (error: unknown) => void) => {
        work();
        done(null);
      },
    };
  };
}

function workOf(
  activityId: string,
  { model, expressions, setVariable, tell }: ServiceWorkDependencies,
): (() => void) | undefined {
  const evaluation = model.evaluations[activityId];
  const request = model.requests?.[activityId];
  if (evaluation) {
    return () => {
      const value = expressions.value(evaluation.expression, activityId);
      if (evaluation.resultVariable !== undefined) setVariable(evaluation.resultVariable, value);
    };
  }
  return (
    request &&
    (() => {
      const payload = Object.fromEntries(
        request.inputs.map(({ target, value }) => [target, expressions.value(value, activityId)]),
      );
      tell({ type: 'serviceRequested', activityId, service: request.service, payload });
    })
  );
}
