import type { EventDescription } from '../../shared/messaging/wire/event-description.ts';
import { commandDescription } from './api/commands/command-description.ts';
import {
  DEFINITION_TOPICS,
  type DefinitionEvent,
  type DeploymentFailedEvent,
} from './domain/events/definition-events.ts';
import { caseEventDescriptions } from './event-descriptions.ts';

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
  commandDescription,
];
