import type { Files } from '../../../shared/files/files.ts';
import type { EntityJob } from './job-service.ts';

/** The link of the file of a finished export, which works for some minutes without a token; none for other jobs. */
export async function linkOf(
  files: Pick<Files, 'downloadLink'>,
  { kind, state, result, subject, createdAt }: EntityJob,
): Promise<string | undefined> {
  const { object } = result;
  if (kind !== 'EXPORT' || state !== 'DONE' || typeof object !== 'string') return undefined;
  const extension = object.slice(object.lastIndexOf('.'));
  return files.downloadLink(object, {
    fileName: `${subject}_${createdAt.slice(0, 19).replace(/\D/g, '')}${extension}`,
  });
}

/** The grants by which the result of a job was written. */
export function grantsOf({ input, progress }: EntityJob): readonly string[] {
  const { grantedBy } = input as { readonly grantedBy?: string | readonly string[] };
  const { grants = [] } = progress as { readonly grants?: readonly string[] };
  return [...new Set([...[grantedBy ?? []].flat(), ...grants])];
}
