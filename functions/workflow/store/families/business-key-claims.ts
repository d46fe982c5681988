import { notExists } from '../../../../shared/store/conditions.ts';
import type { Condition, Key } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { CaseHead } from '../../domain/cases/case-facts.ts';
import type { HeadChange } from '../../domain/cases/family-change.ts';
import { uniqueKey } from '../case-keys.ts';
import { businessKeyClaim, claimItem } from '../cases/case-items.ts';

/** What a unique business key is refused with. */
export type BusinessKeyTaken = (head: CaseHead) => Error;

/** A unique business key that a change moves. */
export interface ClaimMove {
  readonly key: Key;
  /** The case that has it no more. */
  readonly from?: CaseHead;
  /** The case that has it from now on. */
  readonly to?: CaseHead;
}

/** How the change moves claims. @throws what `taken` makes when two of its cases want the same key */
export function claimMoves(heads: readonly HeadChange[], taken: BusinessKeyTaken): ClaimMove[] {
  const moves = new Map<string, ClaimMove>();
  for (const head of heads) {
    const claim = businessKeyClaim(head);
    if (claim === undefined) continue;
    const { tenantCode, workflowCode, businessKey = '' } = head.after;
    const key = uniqueKey(tenantCode, workflowCode, businessKey);
    const known = moves.get(key.pk);
    if (claim === 'take' && known?.to) throw taken(head.after);
    moves.set(key.pk, { ...known, key, [claim === 'take' ? 'to' : 'from']: head.after });
  }
  return [...moves.values()];
}

/** Stages the claims that cases take, each unless another case than the one that leaves it has it. */
export function stageClaims(
  unit: UnitOfWork,
  moves: readonly ClaimMove[],
  taken: BusinessKeyTaken,
): void {
  for (const { from, to } of moves) {
    if (!to) continue;
    const condition = from ? isHeldBy(from) : notExists;
    unit.put(claimItem(to), { condition, otherwise: () => taken(to) });
  }
}

/** Claims whose case has ended. */
export const leftClaims = (moves: readonly ClaimMove[]): Key[] =>
  moves.flatMap(({ key, to }) => (to ? [] : [key]));

const isHeldBy = ({ caseInstanceId }: CaseHead): Condition => ({
  expression: '#case = :case',
  names: { '#case': 'caseInstanceId' },
  values: { ':case': caseInstanceId },
});
