import type { Key, Table } from '../../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { type ReminderKind, reminderPartition, sweptReminderKey } from '../task-keys.ts';

/** A task of which people are to be reminded at an instant. */
export interface ReminderRow {
  readonly key: Key;
  readonly at: string;
  readonly kind: ReminderKind;
  readonly taskId: string;
}

/** Reads rows of reminders. */
export class ReminderRows {
  readonly #table: Table;
  readonly #unitOfWork: RunUnitOfWork;

  constructor(given: { readonly table: Table; readonly unitOfWork: RunUnitOfWork }) {
    this.#table = given.table;
    this.#unitOfWork = given.unitOfWork;
  }

  /** Those of an hour until the instant, oldest first. */
  async ofHour(hour: string, until: string, most: number): Promise<ReminderRow[]> {
    const { items } = await this.#table.query<Key>({
      partition: reminderPartition(hour),
      between: { from: '0', to: `${until}~` },
      ...{ limit: most, consistent: true },
    });
    return items.map(({ pk, sk }) => {
      const [at = '', kind = '', ...id] = sk.split('#');
      return {
        ...{ key: { pk, sk }, at, taskId: id.join('#') },
        kind: kind === 'SOON' ? 'SOON' : 'OVERDUE',
      };
    });
  }

  /** The oldest hour that may have reminders. */
  async sweptHour(): Promise<string | undefined> {
    const item = await this.#table.get(sweptReminderKey);
    return item && String(item.hour);
  }

  async noteHour(hour: string): Promise<void> {
    await this.#unitOfWork(async (unit) =>
      unit.put({ ...sweptReminderKey, type: 'reminder_sweep', hour }),
    );
  }
}
