import type { Problem } from '../cmmn/basics/problem.ts';
import type { CaseSnapshot } from '../cmmn/compile/snapshot.ts';
import type { DecisionTable } from '../cmmn/decision/decision-table.ts';
import type { CaseDefinition } from '../cmmn/model/case-definition.ts';
import type { Diagram } from '../cmmn/model/diagram.ts';

/** `PUBLISHED`: cases can be started; `DRAFT`: not yet, or not any more; `DELETED`: kept only for cases that refer to it. */
export type VersionStatus = 'PUBLISHED' | 'DRAFT' | 'DELETED';

/** Versions of processes that came along with a deployment, by the keys of the processes. */
export type DeployedProcesses = Readonly<
  Record<string, { readonly workflowCode: string; readonly version: number }>
>;

/** Facts of a deployed version that its cases need. */
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
  /** Absent: none. */
  readonly processes?: DeployedProcesses | undefined;
}

/** A case of a deployment, by the id that its cases store. */
export interface DeployedCaseFacts {
  readonly key: string;
  readonly name?: string | undefined;
}

/** A version of a workflow, as it was deployed: one deployment is one version. */
export interface DeployedVersion extends DeploymentFacts {
  readonly status: VersionStatus;
  readonly category?: string | undefined;
  /** SHA-256 in hexadecimal of all that was deployed. */
  readonly contentHash: string;
  readonly cases: readonly DeployedCaseFacts[];
  /** Keys of the decision tables that came along. */
  readonly decisions: readonly string[];
  /** Names of the documents that came along. */
  readonly resources: readonly string[];
  readonly warnings: readonly Problem[];
  readonly deployedAt: string;
  readonly deployedBy: string;
  readonly publishedAt?: string | undefined;
}

/** What all versions of a workflow have in common; whoever changes one of them changes this under its version. */
export interface WorkflowHead {
  readonly tenantCode: string;
  readonly workflowCode: string;
  /** Key of the main case of every version that is not deleted. */
  readonly caseDefinitionKey: string;
  /** Highest number given so far: numbers of deleted versions are not given again. */
  readonly lastVersion: number;
  /** The newest version; none when all are deleted. */
  readonly latest?: DeployedVersion | undefined;
  /** The version that is started. */
  readonly published?: { readonly version: number; readonly deploymentId: string } | undefined;
  /** Counts the changes. */
  readonly revision: number;
}

/** What a deployment is compiled to. */
export interface DeploymentModel {
  readonly facts: DeploymentFacts;
  readonly cases: readonly CaseDefinition[];
  readonly decisions: readonly DecisionTable[];
}

/** What clients draw and explain a deployment with. */
export interface DeploymentSnapshot {
  readonly cmmnXml: string;
  readonly cases: readonly CaseSnapshot[];
  readonly diagrams: readonly Diagram[];
}

/** The id that the cases of a definition store. */
export const definitionIdOf = (deploymentId: string, caseKey: string): string =>
  `${deploymentId}:${caseKey}`;

/** The parts of a definition id; `undefined` when it is none. */
export function partsOfDefinitionId(
  definitionId: string,
): { readonly deploymentId: string; readonly caseKey: string } | undefined {
  const at = definitionId.indexOf(':');
  if (at < 1) return undefined;
  return { deploymentId: definitionId.slice(0, at), caseKey: definitionId.slice(at + 1) };
}

/** The facts of a version that go into its model. */
export const factsOf = ({
  deploymentId,
  tenantCode,
  workflowCode,
  version,
  caseDefinitionKey,
  name,
  taskVariables,
  historyRetentionMs,
  uniqueBusinessKey,
  processes,
}: DeployedVersion): DeploymentFacts => ({
  deploymentId,
  tenantCode,
  workflowCode,
  version,
  caseDefinitionKey,
  name,
  taskVariables,
  historyRetentionMs,
  uniqueBusinessKey,
  ...(processes && { processes }),
});
