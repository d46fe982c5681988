import { readCase } from '../../contract/read-state.ts';
import type { CaseInstance } from '../../contract/state.ts';
import type { CaseDefinition } from '../../model/case-definition.ts';
import type { CaseModel } from '../../model/case-model.ts';
import { caseModelOf } from '../../model/link-case-model.ts';
import { proveCase } from '../run/prove-case.ts';

/** A stored case with the model that it is of. @throws CmmnError `STATE_INVALID`, `STATE_VERSION_UNKNOWN` */
export function caseOf(
  stored: CaseInstance,
  definition: CaseDefinition,
): readonly [CaseInstance, CaseModel] {
  const caseInstance = readCase(stored);
  const model = caseModelOf(definition);
  proveCase(caseInstance, model);
  return [caseInstance, model];
}
