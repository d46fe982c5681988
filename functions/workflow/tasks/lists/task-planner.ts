import { type Clock, toInstant } from '../../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import { workingTenant } from '../../definitions/tenancy.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import { concerns, isAssignee, type TaskCaller } from '../../domain/tasks/task-caller.ts';
import { fits, type ListedTask, type TaskFilter } from '../../domain/tasks/task-filter.ts';
import { SUBSTITUTES_MARK } from '../../store/task-keys.ts';
import {
  entitySource,
  listSource,
  type PlaceRange,
  placesBetween,
  type TaskRows,
  type TaskSource,
} from '../../store/tasks/task-rows.ts';
import type { TaskGuard } from '../task-guard.ts';

/** Orders of a list. */
export const TASK_ORDERS = ['createdAt', 'dueDate', 'priority'] as const;

/** A list of open tasks. */
export interface TaskQuery {
  readonly filter: Omit<TaskFilter, 'assignees'>;
  /** Whose tasks; `me` for the caller's own. */
  readonly assignee?: string | undefined;
  /** Includes tasks that are open to the caller but claimed by another user. */
  readonly includeAssigned?: boolean | undefined;
  /** Only those that are due already. */
  readonly overdue?: boolean | undefined;
  readonly tenantCode?: string | undefined;
  readonly order: (typeof TASK_ORDERS)[number];
  readonly isReverse: boolean;
}

/** Where a list is read, and what of it is shown. */
export interface TaskPlan {
  readonly sources: readonly TaskSource[];
  readonly range: PlaceRange;
  readonly fits: (listed: ListedTask) => boolean;
  /** Whether rows may be of tasks that the list does not have. */
  readonly isFiltered: boolean;
  readonly caller: TaskCaller;
}

export interface TaskPlannerDependencies {
  readonly rows: TaskRows;
  readonly guard: TaskGuard;
  readonly clock: Clock;
}

/** Finds out where the tasks of a list are, and which of them the caller sees. */
export class TaskPlanner {
  readonly #rows: TaskRows;
  readonly #guard: TaskGuard;
  readonly #clock: Clock;

  constructor({ rows, guard, clock }: TaskPlannerDependencies) {
    this.#rows = rows;
    this.#guard = guard;
    this.#clock = clock;
  }

  /** @throws Problem `FORBIDDEN` (403) */
  async plan(query: TaskQuery, principal: Principal): Promise<TaskPlan> {
    const tenant = workingTenant(principal, query.tenantCode);
    const [rows, guard] = [this.#rows, this.#guard];
    const groups = await rows.groups(tenant, guard.knownGroups(principal));
    const own = await guard.admitToList(groups, principal);
    const caller = groups.includes(SUBSTITUTES_MARK)
      ? await guard.withAbsent(own, tenant, principal)
      : own;
    const { assignee, order, isReverse } = query;
    const filter = this.settled(query);
    const isEntity = filter.entityType !== undefined && filter.entityId !== undefined;
    const by = order === 'dueDate' && !isEntity ? 'due' : 'created';
    const assignees = assignee === undefined ? undefined : namesOf(assignee, own);
    await this.#requireOwn(assignees, filter, caller, principal);
    const range =
      by === 'due'
        ? placesBetween(filter.dueAfter, filter.dueBefore, isReverse)
        : placesBetween(filter.createdAfter, filter.createdBefore, isReverse);
    const wanted = { ...filter, assignees };
    const seesAll = isEntity && (await guard.seesAll(principal));
    const isShown = shownBy(query, caller, seesAll);
    return {
      sources: sourcesOf(tenant, wanted, { ...query, by }, caller),
      range,
      fits: (listed) => fits(listed, wanted) && isShown(listed.task),
      isFiltered: isEntity || isNarrowed(filter, assignees, by),
      caller,
    };
  }

  /**
   * Whose completed tasks a list has.
   * @throws Problem `FORBIDDEN` (403) for those of others, unless the caller sees all
   */
  async completerFor(
    { assignee = 'me' }: Pick<TaskQuery, 'assignee'>,
    caller: TaskCaller,
    principal: Principal,
  ): Promise<string> {
    if (assignee === 'me' || caller.names.includes(assignee)) return caller.id;
    await this.#requireOwn([assignee], {}, caller, principal);
    return assignee;
  }

  /** The filter with the instant that overdue tasks were due by. */
  settled({ filter, overdue = false }: Pick<TaskQuery, 'filter' | 'overdue'>): TaskQuery['filter'] {
    if (!overdue) return filter;
    const now = toInstant(this.#clock.now());
    const { dueBefore = now } = filter;
    return { ...filter, dueBefore: dueBefore < now ? dueBefore : now };
  }

  /** @throws Problem `FORBIDDEN` (403) for tasks of others, unless the caller sees all */
  async #requireOwn(
    assignees: readonly string[] | undefined,
    { candidateGroup }: TaskQuery['filter'],
    caller: TaskCaller,
    principal: Principal,
  ): Promise<void> {
    const isOthers = assignees?.some((name) => !caller.names.includes(name)) ?? false;
    const isForeign =
      assignees === undefined &&
      candidateGroup !== undefined &&
      !caller.groups.includes(candidateGroup);
    if (!isOthers && !isForeign) return;
    if (await this.#guard.seesAll(principal)) return;
    throw httpProblems.forbidden({ permission: 'workflow:case:view' });
  }
}

const namesOf = (assignee: string, caller: TaskCaller): readonly string[] =>
  assignee === 'me' || caller.names.includes(assignee) ? caller.names : [assignee];

/** Whether there are rows in the order of the list: those of business records are by creation. */
export const isByRows = ({ order, filter }: TaskQuery): boolean =>
  order === 'createdAt' ||
  (order === 'dueDate' && (filter.entityType === undefined || filter.entityId === undefined));

/** Whether the filter says more than its sources and its range do. */
function isNarrowed(
  filter: TaskQuery['filter'],
  assignees: readonly string[] | undefined,
  by: 'created' | 'due',
): boolean {
  const { unassigned, candidateGroup, dueAfter, dueBefore, createdAfter, createdBefore, ...more } =
    filter;
  const others = by === 'due' ? [createdAfter, createdBefore] : [dueAfter, dueBefore];
  const bySource = assignees === undefined ? [] : [unassigned || undefined, candidateGroup];
  return [...Object.values(more), ...others, ...bySource].some((value) => value !== undefined);
}

/** The partitions that have all tasks of a list, and as few others as can be. */
function sourcesOf(
  tenant: string,
  { assignees, entityType, entityId, candidateGroup, unassigned = false }: TaskFilter,
  { includeAssigned = false, by }: Pick<TaskQuery, 'includeAssigned'> & { by: 'created' | 'due' },
  caller: TaskCaller,
): readonly TaskSource[] {
  if (entityType !== undefined && entityId !== undefined) {
    return [entitySource(tenant, entityType, entityId)];
  }
  const assigned = (assignees ?? caller.names).map((name) =>
    listSource(tenant, { of: 'ASSIGNEE', name }, by),
  );
  if (assignees) return assigned;
  const kinds = includeAssigned && !unassigned ? [false, true] : [false];
  const offered = (of: 'USER' | 'GROUP', names: readonly string[]): TaskSource[] =>
    names.flatMap((name) => kinds.map((isTaken) => listSource(tenant, { of, name, isTaken }, by)));
  if (candidateGroup !== undefined) return offered('GROUP', [candidateGroup]);
  return [
    ...(unassigned ? [] : assigned),
    ...offered('USER', caller.names),
    ...offered('GROUP', caller.groups),
  ];
}

/** Which tasks of the sources are shown: rows follow their tasks with a delay. */
function shownBy(
  { filter, assignee, includeAssigned = false }: TaskQuery,
  caller: TaskCaller,
  seesAll: boolean,
): (task: TaskRecord) => boolean {
  if (filter.entityType !== undefined && filter.entityId !== undefined) {
    return (task) => seesAll || concerns(task, caller);
  }
  if (assignee !== undefined || includeAssigned) return () => true;
  return (task) => task.assignee === undefined || isAssignee(task, caller);
}
