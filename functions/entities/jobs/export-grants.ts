import type { EntityJob } from './job-service.ts';

/** The grants by which the file of an export was written. */
export function grantsOf({ input, progress }: EntityJob): readonly string[] {
  const { grantedBy } = input as { readonly grantedBy?: string | readonly string[] };
  const { grants = [] } = progress as { readonly grants?: readonly string[] };
  return [...new Set([...[grantedBy ?? []].flat(), ...grants])];
}
