import type { DefinitionSource } from '../domain/cmmn/contract/environment.ts';
import type { CaseDefinition } from '../domain/cmmn/model/case-definition.ts';
import type { DeploymentFacts } from '../domain/definitions/deployed-version.ts';

export type { DeploymentFacts } from '../domain/definitions/deployed-version.ts';

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
  /**
   * The main case of the version that a workflow of the tenant starts, else of one of no tenant.
   * @param version a published version of that number instead
   */
  newest(
    tenantCode: string,
    workflowCode: string,
    version?: number,
  ): Promise<LoadedCase | undefined>;
  /** Whether the tenant, or all, have a workflow of that code, or that version of it, published or not. */
  isDeployed(tenantCode: string, workflowCode: string, version?: number): Promise<boolean>;
  /** The case of a key that exactly this tenant has published last. */
  newestCase(tenantCode: string, caseKey: string): Promise<LoadedCase | undefined>;
  /**
   * Runs a call of the engine with a source that loads what it is asked for. The work is given again after each load, so
   * it must be pure.
   * @param known definitions that need not be looked for
   */
  run<T>(work: (definitions: DefinitionSource) => T, known?: readonly LoadedCase[]): Promise<T>;
  /** To be called before a case is stored whose tenant is not that of its deployment. */
  noteUse(deploymentId: string, tenantCode: string): Promise<void>;
}
