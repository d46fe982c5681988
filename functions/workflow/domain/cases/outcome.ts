import type { Variables } from '../cmmn/index.ts';

/** The variable that tells how a task, or the form with which a case was started, was decided. */
export const outcomeVariable = (key: string, outcome: string | undefined): Variables =>
  outcome === undefined ? {} : { [`form_${key}_outcome`]: outcome };
