import type { Environment } from '../../../shared/lambda/environment.ts';

/** The default of `svc.docs.presigned-url-expiration`, outside of a deployed function. */
const LINK_SECONDS = 3_600;

/** How long links to files work: what `svc.docs` says, of which the function knows nothing else. */
export function linkSecondsOf({ otherSections }: Pick<Environment, 'otherSections'>): number {
  const { docs = {} } = otherSections as { readonly docs?: Readonly<Record<string, unknown>> };
  const { presignedUrlExpiration } = docs;
  return typeof presignedUrlExpiration === 'number' ? presignedUrlExpiration : LINK_SECONDS;
}
