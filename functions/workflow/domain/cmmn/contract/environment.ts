import type { DecisionTable } from '../decision/decision-table.ts';
import type { CaseDefinition } from '../model/case-definition.ts';
import type { Limits } from './limits.ts';

/** A case definition under the id by which the cases of that version find it again. */
export interface DeployedCase {
  readonly id: string;
  readonly definition: CaseDefinition;
}

/** Where the engine finds definitions. Synchronous: the caller has loaded what the case can need. */
export interface DefinitionSource {
  /**
   * The latest version of a case that the tenant itself has, for starting it; without a tenant, that of all.
   * @param sameDeploymentAs definition id of a case whose deployment comes first
   */
  latest(key: string, tenantId?: string, sameDeploymentAs?: string): DeployedCase | undefined;
  /** The version that a running case was started with. */
  byId(id: string): DeployedCase | undefined;
  /** A decision that the tenant itself has; without a tenant, that of all. */
  decision?(key: string, tenantId?: string): DecisionTable | undefined;
}

/** Inputs of a command besides case and arguments. The same environment and command have the same result. */
export interface Environment {
  readonly definitions: DefinitionSource;
  readonly now: number;
  readonly newId: () => string;
  /** Who gives the command. */
  readonly user?: string;
  readonly limits?: Partial<Limits>;
}
