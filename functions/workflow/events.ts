import type { EventDescription } from '../../shared/messaging/wire/event-description.ts';
import { caseEventDescriptions } from './event-descriptions.ts';

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

const definitionMembers = {
  tenantCode: 'tenant of the workflow; empty: of none',
  workflowCode: 'code of the workflow',
  definitionVersion: 'number of the version',
  deploymentId: 'id of its deployment',
  caseDefinitionKey: 'key of its main case',
  actor: 'id of the caller',
};

/** Events of the module, for the reference. */
export const events = [
  {
    topic: DEFINITION_TOPICS.published,
    key: 'workflow code',
    payload: 'DefinitionEvent',
    meaning: 'cases of a version can be started from now on',
    members: definitionMembers,
  } satisfies EventDescription<DefinitionEvent>,
  {
    topic: DEFINITION_TOPICS.unpublished,
    key: 'workflow code',
    payload: 'DefinitionEvent',
    meaning: 'cases of a version can no longer be started',
    members: definitionMembers,
  } satisfies EventDescription<DefinitionEvent>,
  {
    topic: DEFINITION_TOPICS.failed,
    key: 'workflow code',
    payload: 'DeploymentFailedEvent',
    meaning: 'an interrupted deployment has left files behind, which are removed now',
    members: {
      tenantCode: 'tenant of the workflow; empty: of none',
      workflowCode: 'code of the workflow',
      deploymentId: 'id of the deployment that did not come about',
      attempts: 'how often removing them was tried',
    },
  } satisfies EventDescription<DeploymentFailedEvent>,
  ...caseEventDescriptions,
];
