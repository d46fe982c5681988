import type { EventDescription } from '../../../../shared/messaging/wire/event-description.ts';
import { COMMAND_TOPIC } from '../../listeners.ts';
import { type WorkflowCommand, workflowCommand } from './command-schemas.ts';

/** The members of all commands. */
type Members<Command = WorkflowCommand> = Command extends object ? keyof Command : never;

/** What others publish to have something done, for the reference. */
export const commandDescription = {
  topic: COMMAND_TOPIC,
  key: 'any',
  payload: 'WorkflowCommand',
  meaning: 'a listener or another application wants something done; this module listens',
  members: {
    command:
      '`startCase`, `completeTask`, `assignTask`, `signal`, `triggerPlanItem` or `setCaseVariables`',
    user: 'whom it acts for: id, and as a token would say them username, issuer, tenant, roles, groups and permissions',
    taskId: 'the task; of `completeTask` and `assignTask`',
    caseInstanceId: 'the case; of `triggerPlanItem` and `setCaseVariables`',
    planItemDefinitionKey: 'the plan item; of `triggerPlanItem`',
    signalName: 'the signal; of `signal`',
    body: 'the body of the endpoint that does the same',
  },
  schema: workflowCommand,
} satisfies EventDescription<Record<Members, unknown>>;
