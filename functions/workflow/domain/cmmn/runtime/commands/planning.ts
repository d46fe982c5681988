import { CmmnError } from '../../basics/cmmn-error.ts';
import type { CaseDefinition } from '../../model/case-definition.ts';
import type { PlanItemNode } from '../../model/case-model.ts';
import { instantiate } from '../instances/plan-item-instances.ts';
import type { LiveCase, LivePlanItem } from '../run/live-case.ts';
import { plan, type Run } from '../run/run.ts';
import { ruleHolds } from '../variables/expression-scope.ts';

/** A discretionary item that could be planned now. */
export interface PlannableItem {
  readonly discretionaryItemId: string;
  readonly definitionKey: string;
  readonly name: string;
  readonly caseInstanceId: string;
  /** The stage or human task instance whose planning table it is; absent: the case's own. */
  readonly containerInstanceId?: string;
}

interface Table {
  readonly container: LivePlanItem | undefined;
  readonly items: readonly PlanItemNode[];
}

/** Planning tables that are open (CMMN 1.1, 5.4): of the case, of active stages and of active human tasks. */
function openTables(caseInstance: LiveCase): Table[] {
  const tables: Table[] = [];
  const { planModel, planItems } = caseInstance.model;
  const nodesOf = (items: readonly { readonly id: string }[] | undefined): PlanItemNode[] =>
    (items ?? []).flatMap(({ id }) => planItems.get(id) ?? []);
  if (caseInstance.state !== 'active') return [];
  tables.push({ container: undefined, items: nodesOf(planModel.definition.planningTable?.items) });
  for (const item of caseInstance.planItems) {
    const { definition } = item.planItem;
    if (item.state !== 'active' || !('planningTable' in definition)) continue;
    tables.push({ container: item, items: nodesOf(definition.planningTable?.items) });
  }
  return tables;
}

/** Applicability rules are alternatives: one that holds is enough (CMMN 1.1, 5.4). */
function isApplicable(
  run: Run,
  caseInstance: LiveCase,
  { container }: Table,
  planItem: PlanItemNode,
): boolean {
  const rules = planItem.item.discretionary?.applicabilityRules ?? [];
  return rules.length === 0 || rules.some((rule) => ruleHolds(run, rule, caseInstance, container));
}

/** Whether the caller has one of the roles; a caller without a list of roles may do everything. */
export function hasRole(
  authorized: readonly string[] | undefined,
  roles: readonly string[] | undefined,
): boolean {
  if (!authorized?.length || roles === undefined) return true;
  return authorized.some((role) => roles.includes(role));
}

/** The roles of a case (CMMN 1.1, 5.2) of a user: those whose id or name is one of the user's groups. */
export function rolesOf(definition: CaseDefinition, groups: readonly string[]): readonly string[] {
  return definition.roles
    .filter(({ id, name }) => groups.includes(id) || (name !== undefined && groups.includes(name)))
    .map(({ id }) => id);
}

/** What could be planned now, for a caller with the roles. */
export function plannableItems(
  run: Run,
  caseInstance: LiveCase,
  roles: readonly string[] | undefined,
): PlannableItem[] {
  return openTables(caseInstance).flatMap((table) =>
    table.items
      .filter(
        (planItem) =>
          hasRole(planItem.item.discretionary?.authorizedRoleRefs, roles) &&
          isApplicable(run, caseInstance, table, planItem),
      )
      .map((planItem) => ({
        discretionaryItemId: planItem.id,
        definitionKey: planItem.definition.id,
        name: planItem.item.name ?? planItem.definition.name ?? '',
        caseInstanceId: caseInstance.id,
        containerInstanceId: table.container?.id,
      })),
  );
}

/**
 * Plans a discretionary item (CMMN 1.1, 5.4 and 8.7): an instance comes to life in the stage of the table
 * and is evaluated like any other.
 * @throws CmmnError `NOT_PLANNABLE`, `ROLE_MISSING`
 */
export function planDiscretionaryItem(
  run: Run,
  caseInstance: LiveCase,
  discretionaryItemId: string,
  containerInstanceId: string | undefined,
  roles: readonly string[] | undefined,
): void {
  const table = openTables(caseInstance).find(({ container, items }) => {
    const isMeant = containerInstanceId === undefined || container?.id === containerInstanceId;
    return isMeant && items.some(({ id }) => id === discretionaryItemId);
  });
  const planItem = table?.items.find(({ id }) => id === discretionaryItemId);
  if (!table || !planItem || !isApplicable(run, caseInstance, table, planItem)) {
    throw refused('NOT_PLANNABLE', `"${discretionaryItemId}" cannot be planned now.`, caseInstance);
  }
  if (!hasRole(planItem.item.discretionary?.authorizedRoleRefs, roles)) {
    throw refused('ROLE_MISSING', `"${discretionaryItemId}" needs another role.`, caseInstance);
  }
  const { container } = table;
  const stage = container?.planItem.isStage ? container : container?.stage;
  plan(run, { kind: 'create', item: instantiate(run, caseInstance, planItem, stage) });
}

const refused = (
  code: 'NOT_PLANNABLE' | 'ROLE_MISSING',
  message: string,
  caseInstance: LiveCase,
): CmmnError => new CmmnError(code, message, { caseInstanceId: caseInstance.id });
