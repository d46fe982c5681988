import { RunFileMissing, type RunFiles, type RunPlace } from '../../store/run-files.ts';
import type { PlannedChanges } from '../source-sync.ts';
import type { StoredPlan } from './stored-plan.ts';

/** The counts of a stored plan; none when it is not made yet, or gone. */
export async function plannedChanges(
  files: RunFiles,
  place: RunPlace,
): Promise<PlannedChanges | undefined> {
  try {
    const { users, organization } = await files.read<StoredPlan>(place, 'plan');
    const { renamed: _renamed, missingActive: _missingActive, ...counts } = users;
    return { users: counts, organization };
  } catch (error) {
    if (error instanceof RunFileMissing) return undefined;
    throw error;
  }
}
