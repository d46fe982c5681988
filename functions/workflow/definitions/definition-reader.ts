import type { DefinitionSource } from '../domain/cmmn/contract/environment.ts';
import type { CaseDefinition } from '../domain/cmmn/model/case-definition.ts';

/** Facts of a deployed version, besides its model. */
export interface DeploymentFacts {
  readonly deploymentId: string;
  /** Empty: of no tenant, for all. */
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly version: number;
  /** The main case: the one that is started by the code. */
  readonly caseDefinitionKey: string;
  readonly name?: string | undefined;
  /** Up to five case variables that task lists show and filter by. */
  readonly taskVariables: readonly string[];
  /** How long ended cases stay; none: `svc.workflow.history-retention`. */
  readonly historyRetentionMs?: number | undefined;
  /** No two open cases of the workflow may have the same business key. */
  readonly uniqueBusinessKey: boolean;
}

/** A case of a deployment, as the engine takes it. */
export interface LoadedCase {
  /** `<deploymentId>:<key of the case>`: the definition id of its cases. */
  readonly id: string;
  readonly definition: CaseDefinition;
  readonly deployment: DeploymentFacts;
}

/** Finds compiled definitions, and keeps them in the environment. */
export interface DefinitionReader {
  /** By the id that a case was started with, whatever has become of the version since. */
  load(definitionId: string): Promise<LoadedCase | undefined>;
  /** The newest published version of a workflow of the tenant, else of no tenant; or a published version of that number. */
  newest(
    tenantCode: string,
    workflowCode: string,
    version?: number,
  ): Promise<LoadedCase | undefined>;
  /** The newest published case of a key that exactly this tenant has. */
  newestCase(tenantCode: string, caseKey: string): Promise<LoadedCase | undefined>;
  /**
   * Runs a call of the engine with a source that loads what it is asked for. The work is given again after each load, so
   * it must be pure.
   */
  run<T>(work: (definitions: DefinitionSource) => T, known?: readonly LoadedCase[]): Promise<T>;
}
