import type { Principal } from '../../../shared/security/principal.ts';
import type { DefinitionReader } from '../definitions/definition-reader.ts';
import type { Command, PlanItemView, Variables } from '../domain/cmmn/index.ts';
import { loadEngine } from '../engine.ts';
import { problems } from '../errors.ts';
import type { StoredFamily } from '../store/families/family-store.ts';
import type { CaseCommands, DoneCommand } from './case-commands.ts';
import { caseWithDefinition, type FoundCase, planItemsOf } from './case-details.ts';
import { groupsOf } from './case-reader.ts';

/** Commands for a plan item. */
export const PLAN_ITEM_ACTIONS = [
  'trigger',
  'start',
  'enable',
  'disable',
  'complete',
  'terminate',
  'suspend',
  'resume',
] as const;
export type PlanItemAction = (typeof PLAN_ITEM_ACTIONS)[number];

/** A request for a plan item of a case. */
export interface PlanItemRequest {
  readonly caseInstanceId: string;
  /** Id of the definition, else of the plan item. */
  readonly key: string;
  readonly action: PlanItemAction;
  readonly planItemInstanceId?: string | undefined;
  readonly variables?: Variables | undefined;
  readonly localVariables?: Variables | undefined;
  readonly transientVariables?: Variables | undefined;
  /** Of a case task that is started: what its case begins with. */
  readonly childVariables?: Variables | undefined;
  /** Of a stage: completes it although something in it is open. */
  readonly force?: boolean | undefined;
}

type CommandType = Command['type'];

/** The commands of the engine by which an instance may be meant. */
const COMMANDS: Readonly<Record<PlanItemAction, readonly CommandType[]>> = {
  trigger: ['startPlanItem', 'completeStage', 'trigger'],
  start: ['startPlanItem'],
  enable: ['enable'],
  disable: ['disable'],
  complete: ['completeStage', 'trigger'],
  terminate: ['terminatePlanItem'],
  suspend: ['suspendPlanItem'],
  resume: ['resumePlanItem'],
};

/** Asks something of plan items by the keys of their definitions. */
export class PlanItemCommands {
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

  /**
   * @throws Problem `PLAN_ITEM_NOT_FOUND` (404), `PLAN_ITEM_NOT_TRIGGERABLE`, `AMBIGUOUS_PLAN_ITEM`, `USE_TASK_API`,
   *   `CASE_SUSPENDED`, `CASE_NOT_ACTIVE` (409), or why the engine refuses it
   */
  give(request: PlanItemRequest, principal: Principal): Promise<DoneCommand> {
    const { caseInstanceId } = request;
    const command = (family: StoredFamily) => this.#commandFor(request, family, principal);
    return this.#commands.give({ caseInstanceId, principal, command });
  }

  async #commandFor(
    request: PlanItemRequest,
    family: StoredFamily,
    principal: Principal,
  ): Promise<Command> {
    const found = await caseWithDefinition(family, request.caseInstanceId, this.#definitions);
    requireActive(found);
    const { type, view } = await choose(request, found);
    const { variables, localVariables, transientVariables, childVariables, force } = request;
    const planItemInstanceId = view.instance.id;
    const given = { planItemInstanceId, variables, localVariables, transientVariables };
    if (type === 'trigger') {
      const { rolesOf } = await loadEngine();
      const roles = rolesOf(found.loaded.definition, groupsOf(principal));
      return { type, ...given, roles };
    }
    if (type === 'completeStage') return { type, ...given, force };
    if (type === 'startPlanItem') return { type, ...given, childVariables };
    return { type, ...given } as Command;
  }
}

function requireActive({ instance: { id, state } }: FoundCase): void {
  if (state === 'suspended')
    throw problems.caseSuspended({ reason: `The case ${id} is suspended.` });
  if (state !== 'active') throw problems.caseNotActive({ reason: `The case ${id} is ${state}.` });
}

interface Choice {
  readonly type: CommandType;
  readonly view: PlanItemView;
}

/** The instance that is meant: the oldest of those that accept the action in the same way. */
async function choose(request: PlanItemRequest, found: FoundCase): Promise<Choice> {
  const { key, planItemInstanceId } = request;
  const views = (await instancesOf(key, found)).filter(
    ({ instance }) => planItemInstanceId === undefined || instance.id === planItemInstanceId,
  );
  const choices = views.flatMap((view) => choicesFor(request, view));
  const [first] = choices;
  if (first) {
    const isClear = choices.every(({ type }) => type === first.type);
    if (isClear) return first;
    throw problems.ambiguousPlanItem({ key, ids: choices.map(({ view }) => view.instance.id) });
  }
  const tasks = views.filter(isHumanTask).filter(({ instance }) => instance.state === 'active');
  const completes = request.action === 'trigger' || request.action === 'complete';
  if (completes && tasks.length > 0) {
    throw problems.useTaskApi({ taskIds: tasks.map(({ instance }) => instance.id) });
  }
  const states = views.map(({ instance }) => instance.state);
  throw problems.planItemNotTriggerable({ key, states });
}

/** @throws Problem `PLAN_ITEM_NOT_FOUND` (404) when the model has no such plan item */
async function instancesOf(key: string, found: FoundCase): Promise<readonly PlanItemView[]> {
  const views = await planItemsOf(found);
  const byDefinition = views.filter(({ definitionKey }) => definitionKey === key);
  if (byDefinition.length > 0) return byDefinition;
  const byItem = views.filter(({ instance }) => instance.planItemId === key);
  if (byItem.length > 0) return byItem;
  const { snapshotOf } = await loadEngine();
  const { planItems } = snapshotOf(found.loaded.definition);
  if (planItems.some(({ id, definitionKey }) => id === key || definitionKey === key)) return [];
  throw problems.planItemNotFound({ reason: `The model of the case has no plan item ${key}.` });
}

function choicesFor({ action, force = false }: PlanItemRequest, view: PlanItemView): Choice[] {
  const isActive = view.instance.state === 'active';
  const allowed = new Set(view.allowedCommands);
  if (force && isActive && view.definitionType === 'stage') allowed.add('completeStage');
  const type = COMMANDS[action].find(
    (candidate) =>
      allowed.has(candidate) && !(candidate === 'trigger' && isActive && isHumanTask(view)),
  );
  return type ? [{ type, view }] : [];
}

const isHumanTask = ({ definitionType }: PlanItemView): boolean => definitionType === 'humanTask';
