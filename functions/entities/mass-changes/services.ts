import { RelatedRecords } from '../queries/related-records.ts';
import type { Searches } from '../queries/searches.ts';
import { ChangeLanes } from '../store/jobs/change-lanes.ts';
import { ChangePreview, type ChangePreviewDependencies } from './change-preview.ts';
import { ChangeScopes } from './change-request.ts';
import { MassChangeJob, type MassChangeJobDependencies } from './mass-change-job.ts';
import { MassChangeService, type MassChangeServiceDependencies } from './mass-change-service.ts';
import { RecordChanges, type RecordChangesDependencies } from './record-changes.ts';

type MassChangeParts = Omit<MassChangeServiceDependencies, 'scopes'> &
  Omit<MassChangeJobDependencies, 'scopes' | 'lanes' | 'changes' | 'preview'> &
  Omit<RecordChangesDependencies, 'lanes'> &
  ChangePreviewDependencies &
  ConstructorParameters<typeof RelatedRecords>[0] &
  ConstructorParameters<typeof ChangeLanes>[0] & { readonly searches: Searches };

/** What changes and deletes records by filter. */
export function createMassChanges(parts: MassChangeParts) {
  const related = new RelatedRecords(parts, parts.searches);
  const common = {
    ...parts,
    scopes: new ChangeScopes({ ...parts, related }),
    lanes: new ChangeLanes(parts),
  };
  return {
    massChangeService: new MassChangeService(common),
    massChangeJob: new MassChangeJob({
      ...common,
      changes: new RecordChanges(common),
      preview: new ChangePreview(parts),
    }),
  };
}
