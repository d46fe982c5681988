import { type TenantClock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { exists } from '../../../shared/store/conditions.ts';
import type { Table } from '../../../shared/store/table.ts';
import { apart, type RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { EventSender } from '../definitions/event-sender.ts';
import {
  firstOpenHour,
  HOUR_MS,
  hourOf,
  hourOfInstant,
  hoursBetween,
} from '../domain/cases/due-hours.ts';
import { isOpen, type TaskRecord } from '../domain/cases/task-record.ts';
import { reminderEvent } from '../domain/events/task-reminders.ts';
import { CASE_TOPICS } from '../domain/events/topics.ts';
import { checkTask } from '../store/families/task-writer.ts';
import type { ReminderRow, ReminderRows } from '../store/tasks/reminder-rows.ts';
import { readTasks } from '../store/tasks/task-items.ts';

export interface ReminderSweepDependencies {
  readonly table: Table;
  readonly rows: ReminderRows;
  readonly unitOfWork: RunUnitOfWork;
  readonly sender: EventSender;
  readonly tenantClock: TenantClock;
  readonly log: Log;
  /** When the oldest command was given that has left writes to do; none: `undefined`. */
  readonly oldestRest: () => Promise<string | undefined>;
  /** Whether messages are sent at all. */
  readonly isOn: boolean;
}

/** Where the very first sweep begins, and how long a row waits for its task (ms). */
const DAY_MS = 24 * HOUR_MS;
/** How far ahead of the machine the time of a tenant is followed (ms); tests only. */
const MAX_AHEAD_MS = 31 * DAY_MS;
/** Reminders that one sweep sends. */
const MAX_DUE = 500;
/** How long one sweep reads what is due, and then sends it (ms). */
const MAX_READ_MS = 5_000;
const MAX_TIME_MS = 10_000;

/** Another sweep has sent it, or the task has ended or is due at another time. */
class NotMeant extends Error {}

/** Reminds of tasks that are due, or soon: each row is sent and deleted in one transaction. */
export class ReminderSweep {
  readonly #deps: ReminderSweepDependencies;

  constructor(dependencies: ReminderSweepDependencies) {
    this.#deps = dependencies;
  }

  /** @returns the number of reminders that were sent */
  async run(): Promise<number> {
    const { isOn, rows, tenantClock } = this.#deps;
    if (!isOn) return 0;
    const now = tenantClock.machine.now();
    const noted = await rows.sweptHour();
    const first = noted ?? hourOf(now - DAY_MS);
    const { due, next } = await this.#due(first, now);
    const { sent, left = next } = await this.#sendAll(due, now);
    const open = firstOpenHour(now, await this.#deps.oldestRest());
    const done = left !== undefined && left < open ? left : open;
    if (done > first || noted === undefined) await rows.noteHour(done);
    return sent;
  }

  /** @returns how many were sent, and the hour of the first that is left */
  async #sendAll(
    due: readonly ReminderRow[],
    now: number,
  ): Promise<{ readonly sent: number; readonly left?: string | undefined }> {
    const { machine } = this.#deps.tenantClock;
    const end = machine.now() + MAX_TIME_MS;
    let sent = 0;
    let left: string | undefined;
    for (const row of due) {
      const isDone = machine.now() < end && (await this.#try(row, now));
      if (isDone === 'sent') sent += 1;
      if (isDone === false) left ??= hourOfInstant(row.at);
    }
    return { sent, left };
  }

  /** @returns what is due, and the hour from which there may be more */
  async #due(
    first: string,
    now: number,
  ): Promise<{ readonly due: readonly ReminderRow[]; readonly next?: string | undefined }> {
    const { rows, tenantClock } = this.#deps;
    const { latest } = await tenantClock.times();
    const until = toInstant(Math.min(latest, now + MAX_AHEAD_MS));
    const end = now + MAX_READ_MS;
    const found: ReminderRow[] = [];
    for (const hours of hoursBetween(first, hourOfInstant(until))) {
      if (tenantClock.machine.now() >= end) return { due: found, next: hours[0] };
      const read = await Promise.all(hours.map((hour) => rows.ofHour(hour, until, MAX_DUE)));
      found.push(...read.flat());
      const last = found[MAX_DUE - 1];
      if (last) return { due: found.slice(0, MAX_DUE), next: hourOfInstant(last.at) };
    }
    return { due: found };
  }

  /** @returns whether nothing is left to do; a row whose task is not written yet waits for it */
  async #try(row: ReminderRow, now: number): Promise<'sent' | 'gone' | false> {
    const { table, tenantClock, log } = this.#deps;
    try {
      const [task] = await readTasks(table, [row.taskId]);
      if (!task && Date.parse(row.at) > now - DAY_MS) return false;
      const tenant = task?.tenantCode || undefined;
      if (row.at > toInstant((await tenantClock.times()).of(tenant))) return false;
      return await tenantClock.at(tenant, () => apart(() => this.#send(row)));
    } catch (cause) {
      if (cause instanceof NotMeant) return 'gone';
      const { taskId, at } = row;
      log.error('A reminder of a task could not be sent', { taskId, at, cause });
      return false;
    }
  }

  #send(row: ReminderRow): Promise<'sent' | 'gone'> {
    const { table, unitOfWork, sender } = this.#deps;
    const { key, kind, taskId } = row;
    return unitOfWork(async (unit) => {
      const [task] = await readTasks(table, [taskId]);
      unit.delete(key, { condition: exists, otherwise: () => new NotMeant() });
      if (!task || !isMeant(task, row)) return 'gone';
      checkTask(unit, task);
      const topic = kind === 'SOON' ? CASE_TOPICS.taskDueSoon : CASE_TOPICS.taskOverdue;
      await sender.send(topic, task.caseInstanceId, reminderEvent(task, systemPrincipal.id));
      return 'sent';
    });
  }
}

const isMeant = (task: TaskRecord, { kind, at }: ReminderRow): boolean =>
  isOpen(task) && task.reminders?.[kind === 'SOON' ? 'soonAt' : 'overdueAt'] === at;
