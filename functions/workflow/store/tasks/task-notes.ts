import { type PageRequest, type ReadPage, readPage } from '../../../../shared/store/paged-read.ts';
import type { Item, StorableItem, Table } from '../../../../shared/store/table.ts';
import type { JsonValue } from '../../domain/cmmn/index.ts';
import type { TaskDifference } from '../../domain/tasks/task-differences.ts';
import { draftKey, TASK_COMMENT, TASK_HISTORY, taskPartition } from '../task-keys.ts';

/** History entry of a task. */
export interface TaskAct {
  readonly action: string;
  readonly at: string;
  readonly by: string;
  readonly comment?: string | undefined;
  readonly outcome?: string | undefined;
  /** The absent user whose substitute did it. */
  readonly onBehalfOf?: string | undefined;
}

/** An entry of the history of a task. */
export interface TaskHistoryEntry extends TaskAct {
  readonly id: string;
  readonly changes: readonly TaskDifference[];
}

/** A saved form that is not yet submitted. */
export interface TaskDraft {
  readonly formData: Readonly<Record<string, JsonValue>>;
  readonly variables?: Readonly<Record<string, JsonValue>> | undefined;
  /** Fields of the form that are secret, and were not kept. */
  readonly leftOut?: readonly string[] | undefined;
  readonly savedAt: string;
  readonly savedBy: string;
}

/** A remark on a task. */
export interface TaskComment {
  readonly id: string;
  readonly text: string;
  readonly at: string;
  readonly by: string;
}

/** An entry of the history, as it is stored. */
export const taskHistoryItem = (
  taskId: string,
  id: string,
  { action, at, by, comment, outcome, onBehalfOf }: TaskAct,
  changes: readonly TaskDifference[],
): StorableItem => ({
  ...{ pk: taskPartition(taskId), sk: TASK_HISTORY + id, type: 'task_history' },
  ...{ action, at, by, comment, outcome, onBehalfOf, changes },
});

/** A remark, as it is stored. */
export const commentItem = (taskId: string, { id, text, at, by }: TaskComment): StorableItem => ({
  ...{ pk: taskPartition(taskId), sk: TASK_COMMENT + id, type: 'task_comment' },
  ...{ text, at, by },
});

/** A draft, as it is stored: its values as JSON text, which has any number and any depth. */
export const draftItem = (
  taskId: string,
  { formData, variables, ...draft }: TaskDraft,
): StorableItem => ({
  ...draftKey(taskId),
  type: 'task_draft',
  values: JSON.stringify({ formData, variables }),
  ...draft,
});

/** Reads drafts, comments and history of tasks. */
export class TaskNotes {
  readonly #table: Table;

  constructor({ table }: { table: Table }) {
    this.#table = table;
  }

  async draft(taskId: string): Promise<TaskDraft | undefined> {
    type Stored = Item & Omit<TaskDraft, 'formData' | 'variables'> & { readonly values: string };
    const item = await this.#table.get<Stored>(draftKey(taskId));
    if (!item) return undefined;
    const { values, leftOut, savedAt, savedBy } = item;
    const { formData, variables } = JSON.parse(values) as Pick<TaskDraft, 'formData' | 'variables'>;
    return { formData, variables, leftOut, savedAt, savedBy };
  }

  /** Newest first. */
  async history(taskId: string, page: PageRequest): Promise<ReadPage<TaskHistoryEntry>> {
    type Stored = Item & Omit<TaskHistoryEntry, 'id'>;
    const found = await this.#page<Stored>(taskId, TASK_HISTORY, page);
    const content = found.content.map(({ sk, ...entry }) => {
      const { action, at, by, comment, outcome, onBehalfOf, changes } = entry;
      const id = sk.slice(TASK_HISTORY.length);
      return { id, action, at, by, comment, outcome, onBehalfOf, changes };
    });
    return { ...found, content };
  }

  /** Newest first. */
  async comments(taskId: string, page: PageRequest): Promise<ReadPage<TaskComment>> {
    type Stored = Item & Omit<TaskComment, 'id'>;
    const found = await this.#page<Stored>(taskId, TASK_COMMENT, page);
    const content = found.content.map(({ sk, text, at, by }) => ({
      ...{ id: sk.slice(TASK_COMMENT.length), text, at, by },
    }));
    return { ...found, content };
  }

  #page<T extends Item>(taskId: string, prefix: string, page: PageRequest): Promise<ReadPage<T>> {
    const query = { partition: taskPartition(taskId), beginsWith: prefix, reverse: true };
    return readPage<T>(this.#table, { ...query, consistent: true }, page, [prefix, taskId]);
  }
}
