import type { Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { TaskRecord } from '../../domain/cases/task-record.ts';
import { problems } from '../../errors.ts';
import { completerKey } from '../../store/case-keys.ts';

/** Keeps those who have completed a task from others of the same case, as the model says. */
export class FourEyes {
  readonly #table: Table;

  constructor({ table }: { table: Table }) {
    this.#table = table;
  }

  /**
   * Refuses people who have completed a task that this one is kept apart from; reads nothing where it is from none.
   * @param people names of all who would work on it: ids, usernames, and on whose behalf
   * @throws Problem `COMPLETER_EXCLUDED` (422)
   */
  async require(task: TaskRecord, people: readonly string[]): Promise<void> {
    const { taskId, caseInstanceId, excludeCompletersOf = [] } = task;
    const asked = excludeCompletersOf.flatMap((taskKey) =>
      [...new Set(people)].map((user) => ({ taskKey, user })),
    );
    if (asked.length === 0) return;
    const keys = asked.map(({ taskKey, user }) => completerKey(caseInstanceId, taskKey, user));
    const [found] = await this.#table.getMany(keys);
    if (!found) return;
    const at = keys.findIndex(({ sk }) => sk === found.sk);
    throw problems.completerExcluded({ taskId, taskKey: '', user: '', ...asked[at] });
  }

  /** Notes who completes a task that another one is kept apart from. */
  note(unit: UnitOfWork, task: TaskRecord, people: readonly string[]): void {
    const { caseInstanceId, taskDefinitionKey, isExcluding } = task;
    if (!isExcluding) return;
    for (const user of new Set(people)) {
      unit.put({
        ...completerKey(caseInstanceId, taskDefinitionKey, user),
        ...{ type: 'case_completer', taskId: task.taskId },
      });
    }
  }
}
