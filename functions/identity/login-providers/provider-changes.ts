import type { OpenIdConfig } from '../domain/providers/provider.ts';
import { problems } from '../errors.ts';

/** A configuration as a caller sends it: a secret that is absent or null stays. */
export interface OpenIdChange extends Omit<OpenIdConfig, 'clientSecret'> {
  readonly clientSecret?: string | null | undefined;
}

/**
 * The configuration after a change. A stored secret never goes to another origin than the one that it was saved for.
 * @throws Problem `PASSWORD_REQUIRED` (400)
 */
export function changedConfig(
  { clientSecret: sent, ...change }: OpenIdChange,
  stored: OpenIdConfig | undefined,
): OpenIdConfig {
  const secret = sent ?? stored?.clientSecret;
  const isElsewhere = stored && new URL(stored.issuer).origin !== new URL(change.issuer).origin;
  if (isElsewhere && stored.clientSecret !== undefined && typeof sent !== 'string') {
    throw problems.passwordRequired([{ pointer: '/config/clientSecret' }]);
  }
  return { ...change, ...(secret !== undefined && { clientSecret: secret }) };
}
