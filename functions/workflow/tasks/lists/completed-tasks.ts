import type { Principal } from '../../../../shared/security/principal.ts';
import { type PageRequest, readPage } from '../../../../shared/store/paged-read.ts';
import type { Table } from '../../../../shared/store/table.ts';
import { workingTenant } from '../../definitions/tenancy.ts';
import { fits } from '../../domain/tasks/task-filter.ts';
import type { CaseRecords } from '../../store/cases/case-records.ts';
import { donePartition } from '../../store/task-keys.ts';
import { taskAt } from '../../store/tasks/task-rows.ts';
import type { TaskGuard } from '../task-guard.ts';
import {
  listedTasks,
  MAX_COUNTED,
  MAX_LOOKED_AT,
  type TaskCount,
  type TaskPage,
} from './listed-tasks.ts';
import type { TaskPlanner, TaskQuery } from './task-planner.ts';

export interface CompletedTasksDependencies {
  readonly table: Table;
  readonly records: CaseRecords;
  readonly guard: TaskGuard;
  readonly planner: TaskPlanner;
}

type Query = Pick<TaskQuery, 'assignee' | 'filter' | 'overdue' | 'tenantCode'>;

/** Tasks that are read at once to be counted. */
const STEP = 200;

/** Lists tasks that a user has completed; every method throws `FORBIDDEN` (403). */
export class CompletedTasks {
  readonly #deps: CompletedTasksDependencies;

  constructor(dependencies: CompletedTasksDependencies) {
    this.#deps = dependencies;
  }

  /** In the order of completion, newest first; with filters a page may hold fewer. */
  async page(query: Query, principal: Principal, page: PageRequest): Promise<TaskPage> {
    const { guard, planner, table } = this.#deps;
    const tenant = workingTenant(principal, query.tenantCode);
    const caller = await guard.admitToList([], principal);
    const user = await planner.completerFor(query, caller, principal);
    const partition = donePartition(tenant, user);
    const range = { index: 'gsi1' as const, partition, reverse: true };
    const rows = await readPage(table, range, page, ['tasks done', partition, query.filter]);
    const ids = rows.content.map(({ pk }) => taskAt(pk));
    const listed = await listedTasks(this.#deps, ids);
    const filter = { ...planner.settled(query), statuses: ['COMPLETED'] };
    return { ...rows, content: listed.filter((each) => fits(each, filter)), caller };
  }

  /** How many there are; `gte` when counting stopped. */
  async count(query: Query, principal: Principal): Promise<TaskCount> {
    let count = 0;
    let cursor: string | undefined;
    for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT && count < MAX_COUNTED; lookedAt += STEP) {
      const found = await this.page(query, principal, { size: STEP, cursor });
      count += found.content.length;
      cursor = found.nextCursor;
      if (cursor === undefined) return { count, relation: 'eq' };
    }
    return { count: Math.min(count, MAX_COUNTED), relation: 'gte' };
  }
}
