import { readCase } from '../../contract/read-state.ts';
import type { CaseInstance } from '../../contract/state.ts';
import type { CaseDefinition } from '../../model/case-definition.ts';
import type { CaseModel } from '../../model/case-model.ts';
import { caseModelOf } from '../../model/link-case-model.ts';
import { isProven, markProven, proveCase } from '../run/prove-case.ts';

/** A stored case with the model that it is of. @throws CmmnError `STATE_INVALID`, `STATE_VERSION_UNKNOWN` */
export function caseOf(
  stored: CaseInstance,
  definition: CaseDefinition,
): readonly [CaseInstance, CaseModel] {
  const model = caseModelOf(definition);
  if (isProven(stored, model)) return [stored, model];
  const caseInstance = readCase(stored);
  proveCase(caseInstance, model);
  markProven(caseInstance, model);
  return [caseInstance, model];
}
