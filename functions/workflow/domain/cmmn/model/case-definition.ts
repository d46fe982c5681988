import type { Stage } from './plan-item-definition.ts';
import type { Criterion } from './sentry.ts';

/** Version of the form below; raised when an older reader would misread it. */
export const MODEL_FORMAT_VERSION = 1;

/** The case plan model: the outermost stage, with the criteria that end the case (CMMN 1.1, 5.4). */
interface CasePlanModel extends Stage {
  readonly exitCriteria: readonly Criterion[];
}

/** A role that people have in a case (CMMN 1.1, 5.2). */
interface Role {
  readonly id: string;
  readonly name?: string;
}

/** A piece of the case file (CMMN 1.1, 5.3): here the variable of that name. */
export interface CaseFileItem {
  readonly id: string;
  readonly name: string;
}

/** A case of a model (CMMN 1.1, 5.2), compiled: plain JSON, references by id. */
export interface CaseDefinition {
  readonly formatVersion: typeof MODEL_FORMAT_VERSION;
  /** The id of the case element. */
  readonly key: string;
  readonly name?: string;
  readonly initiatorVariableName?: string;
  readonly planModel: CasePlanModel;
  readonly roles: readonly Role[];
  readonly caseFileItems: readonly CaseFileItem[];
}

/** All cases of one XML document (CMMN 1.1, 5.1). */
export interface Definitions {
  readonly formatVersion: typeof MODEL_FORMAT_VERSION;
  readonly name?: string;
  readonly targetNamespace?: string;
  readonly cases: readonly CaseDefinition[];
}
