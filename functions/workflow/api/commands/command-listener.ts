import type { Host } from '../../../../shared/host/host.ts';
import { parseWith } from '../../../../shared/http/parse.ts';
import type { Message } from '../../../../shared/messaging/wire/event-publisher.ts';
import { NonRetryableError } from '../../../../shared/messaging/wire/messaging-error.ts';
import { isPermitted } from '../../../../shared/ports/permissions.ts';
import type { WorkflowRuntimeService } from '../../../../shared/ports/workflow-runtime.ts';
import type { TenantClock } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import { Problem } from '../../../../shared/problems/problem.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import type { CaseServices } from '../../cases/services.ts';
import { type CheckedCommand, principalOf, workflowCommand } from './command-schemas.ts';

export interface CommandListenerDependencies {
  readonly runtime: WorkflowRuntimeService;
  readonly cases: Pick<CaseServices, 'actions' | 'signals'>;
  readonly host: Pick<Host, 'permissionEvaluator'>;
  readonly tenantClock: TenantClock;
  readonly log: Log;
}

type CommandOf<Name extends CheckedCommand['command']> = Extract<CheckedCommand, { command: Name }>;

/** What of cases a command needs; tasks ask the policy of tasks. */
const NEEDS: Readonly<Record<CheckedCommand['command'], 'add' | 'edit' | undefined>> = {
  startCase: 'add',
  signal: 'edit',
  triggerPlanItem: 'edit',
  setCaseVariables: 'edit',
  completeTask: undefined,
  assignTask: undefined,
};
const CONFLICT = httpProblems.concurrentUpdate.type.code;

/** Does what messages of `workflow.command` ask for, by the rules of the endpoints that do the same. */
export class CommandListener {
  readonly #deps: CommandListenerDependencies;

  constructor(dependencies: CommandListenerDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Carries out a command, in the unit of work that marks its message as processed.
   * @throws Problem as the endpoint answers it; `judge` decides whether the message is retried
   */
  async handle(message: Pick<Message, 'messageId' | 'source' | 'payload'>): Promise<void> {
    const command = parseWith(workflowCommand(), message.payload, 'body');
    const principal = principalOf(command);
    await this.#requirePermission(command, principal);
    await this.#deps.tenantClock.at(principal.tenant, () =>
      this.#do(command, principal, `${message.source} ${message.messageId}`),
    );
  }

  /** A problem that another attempt would meet too is the end of its message, under its code. */
  async judge(cause: unknown): Promise<unknown> {
    return cause instanceof Problem && isFinal(cause) ? refused(cause) : cause;
  }

  /** @throws Problem `FORBIDDEN` (403) */
  async #requirePermission({ command }: CheckedCommand, principal: Principal): Promise<void> {
    const action = NEEDS[command];
    if (action === undefined) return;
    const { permissionEvaluator } = this.#deps.host;
    if (await isPermitted(permissionEvaluator, principal, 'workflow:case', action)) return;
    throw httpProblems.forbidden({ permission: `workflow:case:${action}` });
  }

  async #do(command: CheckedCommand, principal: Principal, messageId: string): Promise<unknown> {
    const { runtime } = this.#deps;
    switch (command.command) {
      case 'startCase':
        return runtime.startCase(command.body, principal);
      case 'completeTask':
        return runtime.completeTask(command.taskId, command.body, principal);
      case 'assignTask': {
        const { assignee, comment } = command.body;
        return runtime.assignTask(command.taskId, assignee, principal, { comment });
      }
      case 'triggerPlanItem': {
        const { caseInstanceId, planItemDefinitionKey, body } = command;
        const { force: _, ...given } = body;
        return runtime.triggerPlanItem(
          { ...given, caseInstanceId, planItemDefinitionKey },
          principal,
        );
      }
      case 'setCaseVariables': {
        const { caseInstanceId, body } = command;
        return runtime.setCaseVariables(caseInstanceId, body.variables, principal);
      }
      case 'signal':
        return this.#signal(command, principal, messageId);
    }
  }

  async #signal(
    { signalName: name, body }: CommandOf<'signal'>,
    principal: Principal,
    messageId: string,
  ): Promise<void> {
    const { cases, log } = this.#deps;
    const { caseInstanceId, tenantCode, variables } = body;
    if (caseInstanceId !== undefined) {
      await cases.actions.signal(caseInstanceId, name, variables, principal);
      return;
    }
    const signal = { name, tenantCode, variables, messageId };
    const { refused: refusals, isTruncated } = await cases.signals.broadcast(signal, principal);
    if (refusals.length > 0) log.warn('Cases have refused a signal', { name, cases: refusals });
    if (isTruncated)
      log.warn('A signal reached only some of its listeners: there are too many', { name });
  }
}

/** Whether another attempt would be refused in the same way. */
const isFinal = ({ status, code }: Problem): boolean =>
  status < 500 && status !== 429 && code !== CONFLICT;

function refused(problem: Problem): NonRetryableError {
  const { code, detail, errors } = problem;
  const places = errors.map(
    ({ pointer, parameter, detail: rule }) => `${pointer ?? parameter}: ${rule}`,
  );
  const message = places.length > 0 ? places.join('; ') : detail;
  return new NonRetryableError(message, { code, cause: problem });
}
