import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { type PageRequest, pageOfAll, type ReadPage } from '../../../shared/store/paged-read.ts';
import type { Table } from '../../../shared/store/table.ts';
import type { DefinitionReader } from '../definitions/definition-reader.ts';
import { type CaseHead, headOf } from '../domain/cases/case-facts.ts';
import type { HistoryEntry } from '../domain/cases/history.ts';
import { isOpen, type TaskRecord } from '../domain/cases/task-record.ts';
import type {
  DefinitionSource,
  Explanation,
  PlanItemView,
  PlannableItem,
  StageOverviewEntry,
} from '../domain/cmmn/index.ts';
import { loadEngine } from '../engine.ts';
import type { CaseRecords, EndedPlanItem } from '../store/cases/case-records.ts';
import type { FamilyStore, StoredFamily } from '../store/families/family-store.ts';
import { readTasks } from '../store/tasks/task-items.ts';
import type { DoneCommand } from './case-commands.ts';
import {
  type CaseDetails,
  caseWithDefinition,
  detailsOf,
  type FoundCase,
  isReached,
  MAX_SHOWN,
  planItemsOf,
  taskIdsIn,
  toFreshMilestone,
  toMilestone,
} from './case-details.ts';
import { toProblem } from './engine-problems.ts';
import { requireVisible } from './visibility.ts';

export interface CaseReaderDependencies {
  readonly table: Table;
  readonly families: FamilyStore;
  readonly records: CaseRecords;
  readonly definitions: DefinitionReader;
  readonly clock: Clock;
}

interface WithTask {
  /** Of a human task that was open once. */
  readonly task?: TaskRecord | undefined;
}

/** Reads cases as the caller may see them; every method throws `CASE_NOT_FOUND` (404). */
export class CaseReader {
  readonly #deps: CaseReaderDependencies;

  constructor(dependencies: CaseReaderDependencies) {
    this.#deps = dependencies;
  }

  async get(id: string, principal: Principal): Promise<CaseDetails> {
    const family = await this.#load(id, principal);
    const found = await this.#find(family, id);
    const [tasks, reached] = await Promise.all([
      this.#tasks(taskIdsIn(found).slice(0, MAX_SHOWN)),
      this.#deps.records.milestones(id, MAX_SHOWN + 1),
    ]);
    return detailsOf(found, family.version, tasks, reached.map(toMilestone));
  }

  /** A case as a command has left it, which need not be committed yet. */
  async after({ family, version, change, caseInstanceId: id }: DoneCommand): Promise<CaseDetails> {
    const found = await caseWithDefinition(family, id, this.#deps.definitions);
    const opened = new Map(change.opened.map((task) => [task.taskId, task]));
    const wanted = taskIdsIn(found).slice(0, MAX_SHOWN);
    const isNew = version === 1;
    const [stored, reached] = await Promise.all([
      this.#tasks(wanted.filter((taskId) => !opened.has(taskId))),
      isNew ? [] : this.#deps.records.milestones(id, MAX_SHOWN + 1),
    ]);
    const known = new Map(stored.map((task) => [task.taskId, task]));
    const tasks = wanted.flatMap((taskId) => opened.get(taskId) ?? known.get(taskId) ?? []);
    const fresh = change.ended.filter((ended) => isReached(ended, id)).map(toFreshMilestone);
    return detailsOf(found, version, tasks, [...reached.map(toMilestone), ...fresh]);
  }

  /** The plan items that are open, in the order in which they were created. */
  async openPlanItems(
    id: string,
    principal: Principal,
    page: PageRequest,
  ): Promise<ReadPage<PlanItemView>> {
    const all = await planItemsOf(await this.#find(await this.#load(id, principal), id));
    return pageOfAll(all, page, ['open plan items', id]);
  }

  /** The tasks that are open, in the order in which they were created. */
  async openTasks(
    id: string,
    principal: Principal,
    page: PageRequest,
  ): Promise<ReadPage<TaskRecord> & Pick<CaseHead, 'taskVariables'>> {
    const found = await this.#find(await this.#load(id, principal), id);
    const ids = pageOfAll(taskIdsIn(found), page, ['open tasks', id]);
    const { taskVariables } = headOf(found.instance, found.facts, id);
    return { ...ids, content: await this.#tasks(ids.content), taskVariables };
  }

  /** The plan items that have ended, in the order in which they were created; milestones last. */
  async endedPlanItems(
    id: string,
    principal: Principal,
    page: PageRequest,
  ): Promise<ReadPage<EndedPlanItem & WithTask>> {
    await this.#load(id, principal);
    const found = await this.#deps.records.ended(id, page);
    const people = found.content.filter(({ definitionType }) => definitionType === 'humanTask');
    const tasks = await readTasks(
      this.#deps.table,
      people.map((item) => item.id),
    );
    const byId = new Map(tasks.map((task) => [task.taskId, task]));
    return {
      ...found,
      content: found.content.map((item) => ({ ...item, task: byId.get(item.id) })),
    };
  }

  /** Changes by commands, newest first. */
  history(id: string, principal: Principal, page: PageRequest): Promise<ReadPage<HistoryEntry>> {
    return this.#deps.records.history(id, page, () => this.#load(id, principal));
  }

  async variables(id: string, principal: Principal) {
    const { instance } = await this.#find(await this.#load(id, principal), id);
    return instance.variables;
  }

  async stageOverview(id: string, principal: Principal): Promise<readonly StageOverviewEntry[]> {
    const { instance, loaded } = await this.#find(await this.#load(id, principal), id);
    const { stageOverview } = await loadEngine();
    return stageOverview(instance, loaded.definition);
  }

  /**
   * Why a plan item instance of the case, or the case itself, waits or stays open.
   * @throws Problem `PLAN_ITEM_NOT_FOUND` (404)
   */
  async explain(
    id: string,
    planItemInstanceId: string | undefined,
    principal: Principal,
  ): Promise<Explanation> {
    const { state } = await this.#load(id, principal);
    const now = this.#deps.clock.now();
    const about = planItemInstanceId ?? id;
    const { explain } = await loadEngine();
    return this.#ask((definitions) =>
      explain(state, about, { definitions, now, user: principal.id }),
    );
  }

  /** Items that the caller could plan now. */
  async plannable(id: string, principal: Principal): Promise<readonly PlannableItem[]> {
    const family = await this.#load(id, principal);
    const { loaded } = await this.#find(family, id);
    const { rolesOf, listPlannable } = await loadEngine();
    const roles = rolesOf(loaded.definition, groupsOf(principal));
    const now = this.#deps.clock.now();
    const items = await this.#ask((definitions) =>
      listPlannable(family.state, { definitions, now, user: principal.id }, roles),
    );
    return items.filter(({ caseInstanceId }) => caseInstanceId === id);
  }

  async #ask<T>(question: (definitions: DefinitionSource) => T): Promise<T> {
    try {
      return await this.#deps.definitions.run(question);
    } catch (error) {
      throw toProblem(error);
    }
  }

  async #load(id: string, principal: Principal): Promise<StoredFamily> {
    return requireVisible(await this.#deps.families.load(id), id, principal);
  }

  #find(family: StoredFamily, id: string): Promise<FoundCase> {
    return caseWithDefinition(family, id, this.#deps.definitions);
  }

  async #tasks(ids: readonly string[]): Promise<readonly TaskRecord[]> {
    if (ids.length === 0) return [];
    return (await readTasks(this.#deps.table, ids)).filter(isOpen);
  }
}

/** Names by which a user may have a role of a case. */
export const groupsOf = ({ groups, roles }: Principal): string[] => [...groups, ...roles];
