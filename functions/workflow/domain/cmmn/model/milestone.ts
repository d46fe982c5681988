import type { Expression } from '../expression/expression.ts';
import type { Definition } from './definition.ts';

/** A point that is reached (CMMN 1.1, 5.4). */
export interface Milestone extends Definition {
  readonly type: 'milestone';
  readonly milestoneVariable?: string;
  readonly businessStatus?: Expression;
  readonly includeInStageOverview?: boolean;
  readonly displayOrder?: number;
}
