import type { Resource } from '../../domain/directory/scim-path.ts';
import type { ResourcePage } from '../../providers/provider.ts';
import { SourceError } from '../../providers/source-error.ts';
import type { SnapshotProgress } from './run.ts';

/** A list that has changed while it was read is read anew once. */
export const isStale = ({ hasDrifted }: ResourcePage, { restarts }: SnapshotProgress): boolean =>
  hasDrifted && restarts === 0;

export const anew = (snapshot: SnapshotProgress): SnapshotProgress => ({
  ...snapshot,
  ...(snapshot.phase === 'groups' ? { groupPages: 0 } : { userPages: 0 }),
  position: undefined,
  restarts: snapshot.restarts + 1,
});

export const next = (
  snapshot: SnapshotProgress,
  page: ResourcePage,
  phase: SnapshotProgress['phase'],
): SnapshotProgress => ({
  ...snapshot,
  phase: page.next ? snapshot.phase : phase,
  position: page.next,
  hasDrifted: snapshot.hasDrifted || page.hasDrifted,
  sourceTime: snapshot.sourceTime ?? page.sourceTime,
});

/** A source that does not know the filter may leave it out without a word. */
export function demandNewer(resources: readonly Resource[], since: string): void {
  const from = Date.parse(since.slice(since.indexOf('"') + 1, -1));
  const isOld = resources.some(({ meta }) => {
    const time = Date.parse(String((meta as Resource | undefined)?.lastModified ?? ''));
    return time < from;
  });
  if (isOld) throw new SourceError('FILTER_REFUSED', 'The source does not keep to the filter');
}
