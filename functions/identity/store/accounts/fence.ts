import type { WriteFence } from '../../../../shared/ports/identity.ts';
import type { Key } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import { ItemFailed } from './item-failed.ts';

/** The item that says which run of a source may write in a lane: its number `fence`. */
export const laneKey = (sourceId: string, lane: number): Key => ({
  pk: `LOCK#identity#${sourceId}`,
  sk: `LANE#${lane}`,
});

/** Lets the unit commit only while the run that writes has its lane. */
export function stageFence(unit: UnitOfWork, fence: WriteFence | undefined): void {
  if (!fence) return;
  unit.check(laneKey(fence.sourceId, fence.lane), {
    condition: {
      expression: '#fence = :fence',
      names: { '#fence': 'fence' },
      values: { ':fence': fence.value },
    },
    otherwise: () => new ItemFailed('FENCED'),
  });
}
