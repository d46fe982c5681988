import { createHash } from 'node:crypto';
import type {
  DeployedProcesses,
  DeployedVersion,
  WorkflowHead,
} from '../domain/definitions/deployed-version.ts';
import type { CompiledSource, ModelSource } from './model-compiler.ts';

/** Request to deploy a model. */
export interface NewDeployment extends ModelSource {
  readonly workflowCode: string;
  readonly name?: string | undefined;
  readonly tenantCode?: string | undefined;
  readonly category?: string | undefined;
  /** Left out: yes. */
  readonly publish?: boolean | undefined;
  /** Left out: yes; the newest version is the answer when it is the same. */
  readonly skipIfUnchanged?: boolean | undefined;
  readonly taskVariables?: readonly string[] | undefined;
  readonly historyRetentionMs?: number | undefined;
  readonly uniqueBusinessKey?: boolean | undefined;
}

/** What a version is made of besides its request. */
export interface VersionParts {
  readonly deploymentId: string;
  readonly tenantCode: string;
  readonly contentHash: string;
  readonly source: CompiledSource;
  readonly head: WorkflowHead | undefined;
  readonly processes: DeployedProcesses;
  readonly deployedAt: string;
  readonly deployedBy: string;
}

/** The facts of a new version, a draft. */
export function newVersion(
  request: NewDeployment,
  { source, head, processes, deployedAt, deployedBy, ...made }: VersionParts,
): DeployedVersion {
  const { workflowCode, name, category, historyRetentionMs } = request;
  const { taskVariables = [], uniqueBusinessKey = false, resources } = request;
  return {
    ...{ ...made, workflowCode, category, historyRetentionMs },
    ...{ taskVariables, uniqueBusinessKey, deployedAt, deployedBy },
    version: (head?.lastVersion ?? 0) + 1,
    caseDefinitionKey: source.main.key,
    name: name ?? source.main.name,
    status: 'DRAFT',
    cases: source.cases.map(({ key, name: called }) => ({ key, name: called })),
    decisions: source.decisions.map(({ key }) => key),
    resources: resources.map((resource) => resource.name),
    ...(Object.keys(processes).length > 0 && { processes }),
    warnings: source.warnings,
  };
}

/** SHA-256 of all that makes a version; two deployments of the same are one. */
export function hashOf(request: NewDeployment, caseDefinitionKey: string): string {
  const { xml, resources, name, category, historyRetentionMs } = request;
  const { taskVariables = [], uniqueBusinessKey = false } = request;
  const all = [
    ...[xml, resources.map((resource) => [resource.name, resource.xml]), caseDefinitionKey],
    ...[name ?? null, category ?? null, taskVariables],
    ...[historyRetentionMs ?? null, uniqueBusinessKey],
  ];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}
