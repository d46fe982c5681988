import type { Clock } from '../../../shared/primitives/clock.ts';
import { DeletionService } from './deletion-service.ts';
import { OpenWorkSweep } from './open-work-sweep.ts';
import { References } from './references.ts';
import { Subtree } from './subtree.ts';
import { SubtreeDeletionService } from './subtree-deletion-service.ts';
import { SubtreeJob } from './subtree-job.ts';
import { Trash } from './trash.ts';
import { TrashExpiry } from './trash-expiry.ts';

export type DeletionParts = ConstructorParameters<typeof References>[0] &
  ConstructorParameters<typeof Trash>[0] &
  Omit<ConstructorParameters<typeof Subtree>[0], 'references' | 'trash'> &
  Omit<ConstructorParameters<typeof SubtreeJob>[0], 'subtree'> &
  Pick<ConstructorParameters<typeof TrashExpiry>[0], 'tenantClock' | 'log'>;

/** What deletes records; loaded with the first deletion. */
export function createDeletions(parts: DeletionParts, machine: Clock) {
  const ofRecords = { ...parts, references: new References(parts), trash: new Trash(parts) };
  const withSubtree = { ...ofRecords, subtree: new Subtree(ofRecords) };
  const subtrees = new SubtreeDeletionService({ ...withSubtree, clock: machine });
  return {
    deletionService: new DeletionService({ ...ofRecords, subtrees }),
    subtreeJob: new SubtreeJob({ ...withSubtree, clock: machine }),
    openWorkSweep: new OpenWorkSweep({ ...ofRecords, subtrees }),
    trashExpiry: new TrashExpiry(ofRecords),
  };
}
