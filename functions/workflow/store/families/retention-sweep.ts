import type { Clock } from '../../../../shared/primitives/clock.ts';
import type { Log } from '../../../../shared/primitives/log.ts';
import type { Key, Table } from '../../../../shared/store/table.ts';
import type { RunUnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { hasEnded } from '../../domain/cases/case-facts.ts';
import { headKey, RETENTIONS } from '../case-keys.ts';
import { toHead } from '../cases/case-items.ts';
import { sweepDueRows } from '../due-rows.ts';
import type { CaseErasure } from './case-erasure.ts';

export interface RetentionSweepDependencies {
  readonly table: Table;
  readonly unitOfWork: RunUnitOfWork;
  readonly erasure: CaseErasure;
  /** The clock of the machine: retention follows no test clock. */
  readonly clock: Clock;
  readonly log: Log;
  /** `svc.workflow.history-retention` (ms); absent: cases whose definition says nothing stay. */
  readonly retentionMs: number | undefined;
}

type RetentionRow = Key & { readonly caseInstanceId: string };

/** Cases that one run erases, of each of the two lists. */
const MAX_SWEPT = 100;

/** Erases cases whose time after their end is over, oldest first. */
export class RetentionSweep {
  readonly #deps: RetentionSweepDependencies;

  constructor(dependencies: RetentionSweepDependencies) {
    this.#deps = dependencies;
  }

  /** @returns the number of cases that are gone */
  async sweep(): Promise<number> {
    const { clock, retentionMs } = this.#deps;
    const now = clock.now();
    const own = await this.#sweepList(RETENTIONS.own, now);
    if (retentionMs === undefined) return own;
    return own + (await this.#sweepList(RETENTIONS.common, now - retentionMs));
  }

  #sweepList(partition: string, until: number): Promise<number> {
    return sweepDueRows<RetentionRow>(this.#deps, {
      ...{ partition, until, most: MAX_SWEPT },
      work: (row) => this.#eraseOne(row),
      failure: 'A case could not be removed after its retention',
      about: ({ caseInstanceId }) => ({ caseInstanceId }),
    });
  }

  /** The cases that it waited for go by their own retention. */
  async #eraseOne({ pk, sk, caseInstanceId }: RetentionRow): Promise<boolean> {
    const { table, erasure, unitOfWork } = this.#deps;
    const item = await table.get(headKey(caseInstanceId));
    const head = item && toHead(item);
    if (head && hasEnded(head)) return erasure.erase(caseInstanceId, { withCalled: false });
    await unitOfWork(async (unit) => unit.delete({ pk, sk }));
    return false;
  }
}
