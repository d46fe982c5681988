import type { ShownSnapshot, ShownVersion } from '../../definitions/definition-service.ts';
import type { DeploymentOutcome } from '../../definitions/deployment-service.ts';
import type { DeletionJob } from '../../deletions/deployment-deletion.ts';
import { type DeployedVersion, definitionIdOf } from '../../domain/definitions/deployed-version.ts';

/** Maps a version to the members that every answer about it has. */
export function toDeployed({
  warnings: _warnings,
  cases,
  name,
  category,
  historyRetentionMs,
  publishedAt,
  processes = {},
  ...deployed
}: DeployedVersion) {
  const { deploymentId, version } = deployed;
  return {
    ...deployed,
    name: name ?? null,
    category: category ?? null,
    historyRetentionMs: historyRetentionMs ?? null,
    publishedAt: publishedAt ?? null,
    caseDefinitions: cases.map(({ key, name: called }) => ({
      ...{ id: definitionIdOf(deploymentId, key), key, version },
      ...(called !== undefined && { name: called }),
    })),
    processDefinitions: Object.entries(processes).map(([key, process]) => ({ key, ...process })),
  };
}

/** Maps a version of a workflow to its answer. */
export const toVersion = ({ deployed, publishedVersion }: ShownVersion) => ({
  ...toDeployed(deployed),
  publishedVersion: publishedVersion ?? null,
});

/** Maps a job that deletes a deployment to its answer. */
export const toDeploymentJob = ({ id, kind, state, processed, total, ...job }: DeletionJob) => ({
  ...{ id, kind, state, processed, total },
  result: job.result,
  createdAt: job.createdAt,
  updatedAt: job.updatedAt,
});

/** Maps a deployment to its answer. */
export const toDeployment = (deployed: DeployedVersion) => ({
  ...toDeployed(deployed),
  warnings: deployed.warnings,
});

/** Maps the outcome of a deployment to its answer. */
export const toOutcome = ({ deployed, isUnchanged }: DeploymentOutcome) => ({
  ...toDeployment(deployed),
  unchanged: isUnchanged,
});

/** Maps a snapshot to its answer. */
export function toSnapshot({ deployed, snapshot, cmmnXml, diagrams }: ShownSnapshot) {
  const { workflowCode, tenantCode, version, deploymentId, publishedAt } = deployed;
  const { key, name, exitCriteria, planItems, sentries } = snapshot;
  return {
    ...{ workflowCode, tenantCode, version, deploymentId },
    caseDefinitionKey: key,
    name: name ?? null,
    publishedAt: publishedAt ?? null,
    ...{ cmmnXml, exitCriteria, planItems, sentries, diagrams },
  };
}
