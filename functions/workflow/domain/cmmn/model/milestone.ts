import type { Expression, NameExpression } from '../expression/expression.ts';
import type { Definition } from './definition.ts';

/** A point that is reached (CMMN 1.1, 5.4). */
export interface Milestone extends Definition {
  readonly type: 'milestone';
  /** Name of a variable that becomes true. */
  readonly milestoneVariable?: NameExpression;
  readonly businessStatus?: Expression;
  readonly includeInStageOverview?: boolean;
  readonly displayOrder?: number;
}
