/** Topics of definitions. */
export const DEFINITION_TOPICS = {
  published: 'workflow.definition.published',
  unpublished: 'workflow.definition.unpublished',
  failed: 'workflow.deployment.failed',
} as const;

/** Payload of the events about definitions; the key is the code of the workflow. */
export interface DefinitionEvent {
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly definitionVersion: number;
  readonly deploymentId: string;
  readonly caseDefinitionKey: string;
  readonly actor: string;
}

/** Payload of `workflow.deployment.failed`; the key is the code of the workflow. */
export interface DeploymentFailedEvent {
  readonly tenantCode: string;
  readonly workflowCode: string;
  readonly deploymentId: string;
  readonly attempts: number;
}
