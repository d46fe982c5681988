import { defineProblems } from '../../../shared/problems/problem.ts';

/** Problems of what a case or process waits for: external work and timers. */
export const waitingProblems = defineProblems({
  externalWorkNotFound: {
    code: 'EXTERNAL_WORK_NOT_FOUND',
    status: 404,
    title: 'External work not found',
    describe: ({ id }: { id: string }) =>
      `There is no external work ${id}: it is done, or was withdrawn.`,
  },
  leaseLost: {
    code: 'LEASE_LOST',
    status: 409,
    title: 'The work is leased to another worker, or to none',
    describe: ({ id }: { id: string }) =>
      `The lease of the work ${id} has ended, or another worker has it; fetch it again.`,
  },
  timerNotFound: {
    code: 'TIMER_NOT_FOUND',
    status: 404,
    title: 'Timer not found',
    describe: ({ id }: { id: string }) =>
      `There is no timer ${id} that is visible to the caller: it has fired, or was withdrawn.`,
  },
  timerNotDue: {
    code: 'TIMER_NOT_DUE',
    status: 409,
    title: 'Timer is not due',
    describe: ({ id, dueAt }: { id: string; dueAt: string }) =>
      `The timer ${id} is due at ${dueAt}, and fires by itself then.`,
  },
});
