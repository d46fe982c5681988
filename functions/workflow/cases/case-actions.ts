import type { Principal } from '../../../shared/security/principal.ts';
import type { DefinitionReader } from '../definitions/definition-reader.ts';
import type { Command, Variables } from '../domain/cmmn/index.ts';
import { loadEngine } from '../engine.ts';
import { problems } from '../errors.ts';
import type { CaseCommands, DoneCommand } from './case-commands.ts';
import { caseWithDefinition } from './case-details.ts';
import { groupsOf } from './case-reader.ts';

/** An item of a planning table to plan. */
export interface PlannedItem {
  readonly discretionaryItemId: string;
  readonly containerInstanceId?: string | undefined;
  readonly variables?: Variables | undefined;
  readonly transientVariables?: Variables | undefined;
}

/** Actions on a case as a whole, besides its variables. */
export const CASE_ACTIONS = [
  'suspend',
  'resume',
  'terminate',
  'complete',
  'reactivate',
  'evaluate',
] as const;
export type CaseAction = (typeof CASE_ACTIONS)[number];

/** More about an action, as far as it takes it. */
export interface CaseActionFacts {
  readonly reason?: string | undefined;
  readonly force?: boolean | undefined;
  readonly variables?: Variables | undefined;
  /** Of a reactivation. */
  readonly transientVariables?: Variables | undefined;
}

/** Asks something of whole cases; every method throws `CASE_NOT_FOUND` (404) and why the engine refuses it. */
export class CaseActions {
  readonly #commands: CaseCommands;
  readonly #definitions: DefinitionReader;

  constructor({
    commands,
    definitions,
  }: {
    commands: CaseCommands;
    definitions: DefinitionReader;
  }) {
    this.#commands = commands;
    this.#definitions = definitions;
  }

  act(
    id: string,
    action: CaseAction,
    { reason, ...facts }: CaseActionFacts,
    principal: Principal,
  ): Promise<DoneCommand> {
    const command = commandOf(id, action, facts);
    return this.#commands.give({ caseInstanceId: id, principal, reason, command: () => command });
  }

  setVariables(id: string, variables: Variables, principal: Principal): Promise<DoneCommand> {
    return this.#give(id, { type: 'setVariables', caseInstanceId: id, variables }, principal);
  }

  /** @throws Problem `VARIABLE_NOT_FOUND` (404) when the case lacks one of them; then none is removed */
  removeVariables(
    id: string,
    names: readonly string[],
    principal: Principal,
  ): Promise<DoneCommand> {
    return this.#commands.give({
      caseInstanceId: id,
      principal,
      command: ({ state }) => {
        const variables = state.cases.find((found) => found.id === id)?.variables ?? {};
        const missing = names.find((name) => !Object.hasOwn(variables, name));
        if (missing !== undefined) throw problems.variableNotFound({ name: missing });
        return { type: 'removeVariables', caseInstanceId: id, names };
      },
    });
  }

  /** Plans a discretionary item, as far as the roles of the caller allow it. */
  plan(id: string, item: PlannedItem, principal: Principal): Promise<DoneCommand> {
    return this.#commands.give({
      caseInstanceId: id,
      principal,
      command: async (family) => {
        const { loaded } = await caseWithDefinition(family, id, this.#definitions);
        const { rolesOf } = await loadEngine();
        const roles = rolesOf(loaded.definition, groupsOf(principal));
        return { type: 'plan', caseInstanceId: id, ...item, roles };
      },
    });
  }

  signal(
    id: string,
    name: string,
    variables: Variables | undefined,
    principal: Principal,
  ): Promise<DoneCommand> {
    return this.#give(id, { type: 'signal', caseInstanceId: id, name, variables }, principal);
  }

  #give(caseInstanceId: string, command: Command, principal: Principal): Promise<DoneCommand> {
    return this.#commands.give({ caseInstanceId, principal, command: () => command });
  }
}

function commandOf(
  caseInstanceId: string,
  action: CaseAction,
  { force, variables, transientVariables }: Omit<CaseActionFacts, 'reason'>,
): Command {
  if (action === 'complete') return { type: 'completeCase', caseInstanceId, force, variables };
  if (action === 'reactivate') {
    return { type: 'reactivate', caseInstanceId, variables, transientVariables };
  }
  return { type: action, caseInstanceId };
}
