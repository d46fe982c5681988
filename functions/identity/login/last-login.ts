import type { UserAccount } from '../../../shared/ports/identity.ts';
import type { IdentityProvider } from '../domain/providers/provider.ts';
import type { ProviderRepository } from '../store/providers/provider-repository.ts';

/**
 * Whether the owner of an account can still log in once the persons of a provider are taken from it: by a password, as
 * a person of another provider, or as somebody of a source whose provider finds the account again.
 */
export async function canLogInWithout(
  { links, credential, tenant = '' }: UserAccount,
  { id }: Pick<IdentityProvider, 'id'>,
  providers: Pick<ProviderRepository, 'ofTenant'>,
): Promise<boolean> {
  if (credential) return true;
  const known = new Set(links.map(({ sourceId }) => sourceId));
  const all = await providers.ofTenant(tenant);
  return all.some(
    (each) =>
      each.enabled &&
      ((each.id !== id && known.has(each.id)) || known.has(each.identitySourceId ?? '')),
  );
}
