import type { Variables } from '../cmmn/index.ts';

/** The variable with the outcome of a task or of a start form. */
export const outcomeVariable = (key: string, outcome: string | undefined): Variables =>
  outcome === undefined ? {} : { [`form_${key}_outcome`]: outcome };
