import * as fc from 'fast-check';
import type { Command, EngineState } from '../../../functions/workflow/domain/cmmn/index.ts';

/** A command as fast-check draws it: numbers that choose among what there is. */
export interface Draw {
  readonly kind: number;
  readonly pick: number;
  readonly value: number;
}

/** A sequence of draws. */
export const someDraws = (maxLength: number): fc.Arbitrary<Draw[]> =>
  fc.array(fc.record({ kind: fc.nat(200), pick: fc.nat(100), value: fc.nat(20) }), { maxLength });

/** Turns a draw into a command for a random model, possible or not. */
export function commandOf(state: EngineState, { kind, pick, value }: Draw): Command {
  const items = state.cases.flatMap(({ planItems }) => planItems);
  const caseInstanceId = state.cases[pick % state.cases.length]?.id;
  const planItemInstanceId = items[pick % Math.max(items.length, 1)]?.id ?? 'nobody';
  const flag = value % 2 === 0;
  const variables = value % 3 === 0 ? { number: value, flag } : undefined;
  const localVariables = value % 4 === 0 ? { number: value, note: 'local' } : undefined;
  const commands: Command[] = [
    { type: 'completeTask', planItemInstanceId, variables, localVariables },
    { type: 'completeTask', planItemInstanceId },
    { type: 'trigger', planItemInstanceId, variables, localVariables },
    { type: 'trigger', planItemInstanceId },
    { type: 'enable', planItemInstanceId },
    { type: 'disable', planItemInstanceId },
    { type: 'startPlanItem', planItemInstanceId, localVariables, childVariables: variables },
    { type: 'terminatePlanItem', planItemInstanceId },
    { type: 'completeStage', planItemInstanceId, force: flag },
    { type: 'suspendPlanItem', planItemInstanceId },
    { type: 'resumePlanItem', planItemInstanceId },
    { type: 'resumePlanItem', planItemInstanceId },
    { type: 'completeExternalWork', planItemInstanceId, variables },
    { type: 'failExternalWork', planItemInstanceId, reason: 'broken' },
    { type: 'endProcess', planItemInstanceId, outcome: flag ? 'completed' : 'failed' },
    { type: 'fireTimer', planItemInstanceId },
    { type: 'completeCase', caseInstanceId, force: value % 5 === 0 },
    { type: 'setVariables', caseInstanceId, variables: { flag } },
    { type: 'setVariables', caseInstanceId, variables: { number: value } },
    { type: 'removeVariables', caseInstanceId, names: ['fromChild', 'votes'] },
    { type: 'evaluate', caseInstanceId },
    { type: 'signal', name: 'signal' },
    { type: 'suspend', caseInstanceId },
    { type: 'resume', caseInstanceId },
    { type: 'resume', caseInstanceId },
    { type: 'reactivate', caseInstanceId },
    { type: 'reactivate', caseInstanceId },
    { type: 'terminate', caseInstanceId: value % 7 === 0 ? caseInstanceId : 'nobody' },
  ];
  return commands[kind % commands.length] as Command;
}
