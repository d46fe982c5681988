import { MAX_PAGE_WINDOW } from '../../../../shared/http/paging.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../../shared/security/principal.ts';
import {
  decodeCursor,
  encodeCursor,
  invalidCursor,
  NOT_OF_THIS_LIST,
} from '../../../../shared/store/cursor.ts';
import type { PageRequest, ReadPage } from '../../../../shared/store/paged-read.ts';
import type { Table } from '../../../../shared/store/table.ts';
import type { ListedTask } from '../../domain/tasks/task-filter.ts';
import { problems } from '../../errors.ts';
import type { CaseRecords } from '../../store/cases/case-records.ts';
import { type TaskRows, taskAt } from '../../store/tasks/task-rows.ts';
import type { CompletedTasks } from './completed-tasks.ts';
import {
  listedTasks,
  MAX_COUNTED,
  MAX_LOOKED_AT,
  type TaskCount,
  type TaskPage,
} from './listed-tasks.ts';
import { isByRows, type TaskPlan, type TaskPlanner, type TaskQuery } from './task-planner.ts';

export interface TaskSearchDependencies {
  readonly table: Table;
  readonly rows: TaskRows;
  readonly records: CaseRecords;
  readonly planner: TaskPlanner;
  readonly completed: CompletedTasks;
}

const isOfCompleted = ({ filter }: TaskQuery): boolean =>
  filter.statuses?.includes('COMPLETED') ?? false;
const BATCH = 100;

/** Lists tasks; every method throws `FORBIDDEN` (403). */
export class TaskSearch {
  readonly #deps: TaskSearchDependencies;

  constructor(dependencies: TaskSearchDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `INVALID_PARAMETER`, `SORT_WINDOW_EXCEEDED` (400) */
  async page(query: TaskQuery, principal: Principal, page: PageRequest): Promise<TaskPage> {
    if (isOfCompleted(query)) return this.#deps.completed.page(query, principal, page);
    const plan = await this.#deps.planner.plan(query, principal);
    const identity = ['tasks', query, principal.id];
    const found = isByRows(query)
      ? await this.#byRows(plan, page, identity)
      : await this.#inWindow(plan, query, page, identity);
    return { ...found, caller: plan.caller };
  }

  /** How many there are; `gte` when counting stopped. */
  async count(query: TaskQuery, principal: Principal): Promise<TaskCount> {
    if (isOfCompleted(query)) return this.#deps.completed.count(query, principal);
    const plan = await this.#deps.planner.plan(query, principal);
    const { rows } = this.#deps;
    if (!plan.isFiltered) {
      const places = await rows.places(plan.sources, plan.range, undefined, MAX_COUNTED + 1);
      const isMore = places.length > MAX_COUNTED;
      return { count: Math.min(places.length, MAX_COUNTED), relation: isMore ? 'gte' : 'eq' };
    }
    const { found, next } = await this.#walk(plan, MAX_COUNTED, undefined);
    return { count: found.length, relation: next === undefined ? 'eq' : 'gte' };
  }

  async #byRows(
    plan: TaskPlan,
    { page = 0, size, cursor }: PageRequest,
    identity: unknown,
  ): Promise<ReadPage<ListedTask>> {
    const position = cursor === undefined ? undefined : decodeCursor(cursor, identity);
    const skip = position ? 0 : page * size;
    requireWindow(skip + size);
    const after = position && placeIn(position.startKey);
    const { found, next } = await this.#walk(plan, skip + size, after);
    const number = position?.page ?? page;
    const nextCursor =
      next && encodeCursor({ page: number + 1, startKey: { place: next } }, identity);
    return { content: found.slice(skip), number, size, nextCursor };
  }

  async #walk(
    plan: TaskPlan,
    wanted: number,
    after: string | undefined,
  ): Promise<{ readonly found: ListedTask[]; readonly next: string | undefined }> {
    const { rows } = this.#deps;
    const step = plan.isFiltered ? BATCH : Math.min(wanted, MAX_COUNTED);
    const found: ListedTask[] = [];
    let at = after;
    for (let lookedAt = 0; lookedAt < Math.max(MAX_LOOKED_AT, wanted); lookedAt += step) {
      const places = await rows.places(plan.sources, plan.range, at, step + 1);
      const fitting = await this.#fitting(places.slice(0, step), plan);
      const taken = fitting.slice(0, wanted - found.length);
      found.push(...taken.map(({ listed }) => listed));
      const end = taken.at(-1)?.place;
      if (found.length === wanted) return { found, next: end === places.at(-1) ? undefined : end };
      if (places.length <= step) return { found, next: undefined };
      at = places[step - 1];
    }
    return { found, next: at };
  }

  /** Orders that no rows have: everything that fits is read, and put in order. */
  async #inWindow(
    plan: TaskPlan,
    { order, isReverse }: TaskQuery,
    { page = 0, size, cursor }: PageRequest,
    identity: unknown,
  ): Promise<ReadPage<ListedTask>> {
    const number = cursor === undefined ? page : decodeCursor(cursor, identity).page;
    const places = await this.#deps.rows.places(
      plan.sources,
      plan.range,
      undefined,
      MAX_LOOKED_AT + 1,
    );
    if (places.length > MAX_LOOKED_AT) throw problems.sortWindowExceeded({ max: MAX_LOOKED_AT });
    const found = (await this.#fitting(places, plan)).map(({ listed }) => listed);
    const sorted = found.sort(comparing(order === 'dueDate' ? 'dueDate' : 'priority', isReverse));
    const nextCursor =
      sorted.length > (number + 1) * size
        ? encodeCursor({ page: number + 1, startKey: {} }, identity)
        : undefined;
    return { content: sorted.slice(number * size, (number + 1) * size), number, size, nextCursor };
  }

  async #fitting(
    places: readonly string[],
    plan: TaskPlan,
  ): Promise<{ readonly place: string; readonly listed: ListedTask }[]> {
    const listed = await listedTasks(this.#deps, places.map(taskAt));
    const byId = new Map(listed.map((each) => [each.task.taskId, each]));
    return places.flatMap((place) => {
      const found = byId.get(taskAt(place));
      return found && plan.fits(found) ? [{ place, listed: found }] : [];
    });
  }
}

const comparing =
  (member: 'dueDate' | 'priority', isReverse: boolean) =>
  ({ task: a }: ListedTask, { task: b }: ListedTask): number => {
    const [left, right] = [a[member] ?? '~', b[member] ?? '~'];
    if (left === right) return a.createdAt < b.createdAt ? -1 : 1;
    return left < right !== isReverse ? -1 : 1;
  };

function requireWindow(wanted: number): void {
  if (wanted <= MAX_PAGE_WINDOW) return;
  const detail = `is beyond the first ${MAX_PAGE_WINDOW} entries; use nextCursor instead`;
  throw httpProblems.invalidParameter([
    { parameter: 'page', code: 'PAGE_WINDOW_EXCEEDED', detail },
  ]);
}

function placeIn({ place = '' }: Readonly<Record<string, string>>): string {
  if (/^(\d{4}-[\dT:.-]+Z|~)#.{1,300}$/.test(place)) return place;
  throw invalidCursor(NOT_OF_THIS_LIST);
}
