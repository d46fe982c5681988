import type { EntityJob } from '../jobs/job-service.ts';
import type { ExportInput, ExportProgress } from '../transfers/export-job.ts';

/** The grants by which the file of an export was written. */
export function grantsOf(job: EntityJob): readonly string[] {
  const { grantedBy } = job.input as unknown as ExportInput;
  const { grants = [] } = job.progress as Partial<ExportProgress>;
  return [...new Set([...(grantedBy === undefined ? [] : [grantedBy]), ...grants])];
}
