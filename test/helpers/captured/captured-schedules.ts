import type {
  OneTimeSchedule,
  OneTimeSchedules,
} from '../../../shared/schedules/one-time-schedule.ts';
import { untilAborted } from '../service-faults/send.ts';

/** Schedules that are kept, and fire when a test says so. */
export interface CapturedSchedules extends OneTimeSchedules {
  /** Those that wait, by name. */
  readonly waiting: Map<string, OneTimeSchedule>;
  /** Calls in their order, such as `create a-1`. */
  readonly calls: string[];
  /** `down`: every call fails; `hanging`: none is answered. */
  mode: 'up' | 'down' | 'hanging';
  /** Takes what is due by the instant away, in order. */
  takeDue(now: number): readonly OneTimeSchedule[];
}

/** No schedules yet, and a service that works. */
export function capturedSchedules(): CapturedSchedules {
  const waiting = new Map<string, OneTimeSchedule>();
  const answer = async (call: string, signal: AbortSignal): Promise<void> => {
    captured.calls.push(call);
    if (captured.mode === 'hanging') await untilAborted(signal);
    if (captured.mode === 'down') throw Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  };
  const captured: CapturedSchedules = {
    waiting,
    calls: [],
    mode: 'up',
    async create(schedule, signal) {
      await answer(`create ${schedule.name}`, signal);
      if (!waiting.has(schedule.name)) waiting.set(schedule.name, schedule);
    },
    async delete(name, signal) {
      await answer(`delete ${name}`, signal);
      waiting.delete(name);
    },
    takeDue(now) {
      const due = [...waiting.values()].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
      for (const { name } of due) waiting.delete(name);
      return due;
    },
  };
  return captured;
}
