import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import {
  newCase,
  planItemAction,
  planItemParams,
  signalBody,
  signalParams,
  variablesBody,
} from '../cases/case-schemas.ts';
import { keyText } from '../schema-parts.ts';
import { assignBody, completeBody, taskParams } from '../tasks/task-schemas.ts';

const names = (meaning: string) =>
  z.array(z.string().min(1).max(255)).max(1_000).default([]).describe(meaning);

/** Whom a command acts for; what a token would say of a user. */
const user = lazy(() =>
  z
    .strictObject({
      id: keyText('Id of the user: the subject of the token.'),
      username: keyText('Left out: the id.').optional(),
      issuer: keyText('Who issued the id.').optional(),
      tenant: keyText('Tenant of the user; left out: none.').optional(),
      roles: names('Roles, for policies and candidate groups.'),
      groups: names('Groups, for policies and candidate groups.'),
      permissions: names('Permissions such as `workflow:case:add`, for the host to judge.'),
    })
    .describe('The user in whose name and by whose rights it is done.')
    .meta({ id: 'CommandUser' }),
);

/** Payload of `workflow.command`: `body` and ids are those of the endpoint that does the same. */
export const workflowCommand = lazy(() => {
  const command = <const Name extends string>(name: Name) => ({
    command: z.literal(name),
    user: user(),
  });
  return z
    .discriminatedUnion('command', [
      z.strictObject({ ...command('startCase'), body: newCase() }),
      z.strictObject({ ...command('completeTask'), ...taskParams().shape, body: completeBody() }),
      z.strictObject({ ...command('assignTask'), ...taskParams().shape, body: assignBody() }),
      z.strictObject({ ...command('signal'), ...signalParams().shape, body: signalBody() }),
      z.strictObject({
        ...command('triggerPlanItem'),
        ...planItemParams().shape,
        body: planItemAction(),
      }),
      z.strictObject({
        ...command('setCaseVariables'),
        caseInstanceId: keyText('Id of the case.'),
        body: variablesBody(),
      }),
    ])
    .meta({ id: 'WorkflowCommand' });
});

/** Payload of a message to `workflow.command`. */
export type WorkflowCommand = z.input<ReturnType<typeof workflowCommand>>;
/** The same, checked. */
export type CheckedCommand = z.output<ReturnType<typeof workflowCommand>>;

/** The user of a command, as policies and interceptors see who calls an endpoint. */
export const principalOf = ({ user: given }: CheckedCommand): Principal => ({
  ...given,
  username: given.username ?? given.id,
  authenticated: true,
  claims: {},
});
