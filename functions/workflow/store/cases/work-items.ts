import type { WriteGuard } from '../../../../shared/store/commit-writes.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { workKey } from '../case-keys.ts';
import { settingMembers } from '../set-members.ts';
import type { StoredWork } from './row-search.ts';

/** What changes about external work while it is open. */
export type WorkChange = Partial<
  Pick<StoredWork, 'workerId' | 'leaseUntil' | 'availableAt' | 'retriesLeft' | 'lastFailure'>
>;

/** Changes external work under a guard, and counts its version on. */
export function stageWorkChange(
  unit: UnitOfWork,
  { id, version }: Pick<StoredWork, 'id' | 'version'>,
  change: WorkChange,
  guard: WriteGuard,
): void {
  unit.update(workKey(id), settingMembers({ ...change, version: version + 1 }), guard);
}
