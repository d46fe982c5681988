import type { Variables } from '../../../functions/workflow/domain/cmmn/index.ts';

/** When every scenario begins. */
export const START_OF_TIME = Date.UTC(2026, 0, 5, 9);

/** Chooses plan item instances: every given field has to match. */
export interface Selector {
  readonly name?: string;
  readonly definitionId?: string;
  readonly type?: string;
  readonly state?: string;
  readonly whereLocal?: Variables;
  readonly occurrence?: number;
  readonly orderBy?: 'name';
  readonly all?: unknown;
}

/** One step of a scenario: an operation, and what has to be true after it. */
export interface Step extends Selector {
  readonly op: string;
  readonly case?: string;
  readonly variables?: Variables;
  readonly localVariables?: Variables;
  readonly transientVariables?: Variables;
  readonly childVariables?: Variables;
  readonly names?: readonly string[];
  readonly duration?: string;
  readonly force?: boolean;
  readonly businessStatus?: string;
  readonly user?: string;
  readonly signal?: string;
  readonly roles?: readonly string[];
  readonly expect?: Expectations;
  readonly expectError?: string;
}

/** Expectations by name; the checks know their forms. */
export type Expectations = Readonly<Record<string, unknown>>;

/** A scenario in the form of `scenarios.json`. */
export interface Scenario {
  readonly id: string;
  readonly feature: string;
  readonly model: string;
  readonly extraModels?: readonly string[];
  readonly requires?: readonly string[];
  readonly caseDefinitionKey: string;
  readonly steps: readonly Step[];
}
