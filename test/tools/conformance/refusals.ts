/** Refusals by the two kinds that scenarios tell apart. */
const ILLEGAL_ARGUMENT = ['STAGE_NOT_COMPLETABLE', 'CASE_NOT_COMPLETABLE'];
const ILLEGAL_STATE = [
  'PLAN_ITEM_ILLEGAL_STATE',
  'CASE_NOT_ACTIVE',
  'CASE_SUSPENDED',
  'CASE_NOT_ENDED',
  'CASE_NOT_REACTIVATABLE',
];
/** Over HTTP, where the platform chooses an instance that accepts the action: none does. */
const NONE_ACCEPTS = 'PLAN_ITEM_NOT_TRIGGERABLE';

/** Whether a refusal is of the kind that a step expects. */
export function isIllegal(code: string, expected: string | undefined): boolean {
  if (expected === 'illegalArgument') return [...ILLEGAL_ARGUMENT, NONE_ACCEPTS].includes(code);
  return expected === 'illegalState' && [...ILLEGAL_STATE, NONE_ACCEPTS].includes(code);
}
