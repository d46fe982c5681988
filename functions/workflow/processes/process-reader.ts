import type { Principal } from '../../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../../shared/store/paged-read.ts';
import type { Table } from '../../../shared/store/table.ts';
import { sees } from '../cases/visibility.ts';
import { workingTenant } from '../definitions/tenancy.ts';
import type { HistoryEntry } from '../domain/cases/history.ts';
import type { TaskRecord } from '../domain/cases/task-record.ts';
import type { ProcessHead } from '../domain/processes/process-head.ts';
import { problems } from '../errors.ts';
import type { CaseRecords } from '../store/cases/case-records.ts';
import type {
  ProcessFilter,
  ProcessStore,
  StoredProcess,
} from '../store/processes/process-store.ts';
import { readTasks } from '../store/tasks/task-items.ts';
import type { ProcessDefinitions } from './process-definitions.ts';

export interface ProcessReaderDependencies {
  readonly store: ProcessStore;
  readonly definitions: ProcessDefinitions;
  readonly records: CaseRecords;
  readonly table: Table;
}

/** An activity that waits, with its name. */
export interface WaitingActivity {
  readonly executionId: string;
  readonly activityId: string;
  readonly type: string;
  readonly name: string;
  readonly waitsFor: string;
  readonly messageName?: string | undefined;
  readonly signalName?: string | undefined;
  readonly dueAt?: string | undefined;
  readonly taskId?: string | undefined;
}

/** An instance with what waits in it. */
export interface ProcessDetails extends Pick<StoredProcess, 'head' | 'version' | 'state'> {
  readonly activities: readonly WaitingActivity[];
}

/** Reads process instances; every method throws `PROCESS_NOT_FOUND` (404). */
export class ProcessReader {
  readonly #deps: ProcessReaderDependencies;

  constructor(dependencies: ProcessReaderDependencies) {
    this.#deps = dependencies;
  }

  async get(id: string, principal: Principal): Promise<ProcessDetails> {
    return this.details(await this.#find(id, principal));
  }

  async details({
    head,
    state,
    version,
  }: Pick<StoredProcess, 'head' | 'state' | 'version'>): Promise<ProcessDetails> {
    const { elements } = await this.#deps.definitions.model(head.definitionId);
    const activities = state.waits.map((wait): WaitingActivity => {
      const { type = '', name = wait.activityId } = elements[wait.activityId] ?? {};
      const { id: executionId, activityId, kind: waitsFor, dueAt } = wait;
      return {
        ...{ executionId, activityId, type, name, waitsFor, dueAt },
        messageName: wait.kind === 'message' ? wait.name : undefined,
        signalName: wait.kind === 'signal' ? wait.name : undefined,
        taskId: wait.kind === 'task' ? wait.id : undefined,
      };
    });
    return { head, state, version, activities };
  }

  /** The open tasks of an instance. */
  async tasks(id: string, principal: Principal): Promise<readonly TaskRecord[]> {
    const { state } = await this.#find(id, principal);
    const ids = state.waits.filter(({ kind }) => kind === 'task').map((wait) => wait.id);
    return readTasks(this.#deps.table, ids);
  }

  /** Newest first. */
  history(id: string, principal: Principal, page: PageRequest): Promise<ReadPage<HistoryEntry>> {
    return this.#deps.records.history(id, page, () => this.#find(id, principal));
  }

  /** Newest start first. @throws Problem `FORBIDDEN` (403) for another tenant */
  list(
    {
      tenantCode,
      ...filter
    }: Omit<ProcessFilter, 'tenantCode'> & { tenantCode?: string | undefined },
    principal: Principal,
    page: PageRequest,
  ): Promise<ReadPage<ProcessHead>> {
    const tenant = workingTenant(principal, tenantCode);
    return this.#deps.store.page({ ...filter, tenantCode: tenant }, page);
  }

  async #find(id: string, principal: Principal): Promise<StoredProcess> {
    const found = await this.#deps.store.load(id);
    if (found && sees(principal, found.head.tenantCode)) return found;
    throw problems.processNotFound({ id });
  }
}
