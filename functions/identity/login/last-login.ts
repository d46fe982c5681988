import type { UserAccount } from '../../../shared/ports/identity.ts';
import type { IdentityProvider } from '../domain/providers/provider.ts';
import { problems } from '../errors.ts';
import type { ProviderRepository } from '../store/providers/provider-repository.ts';

/** @throws Problem `LAST_LOGIN` (409) when the owner of an account could not log in without the provider */
export async function requireOtherLogin(
  account: UserAccount,
  provider: Pick<IdentityProvider, 'id'>,
  providers: Pick<ProviderRepository, 'ofTenant'>,
): Promise<void> {
  const isLinked = account.links.some(({ sourceId }) => sourceId === provider.id);
  if (isLinked && !(await canLogInWithout(account, provider, providers))) {
    throw problems.lastLogin();
  }
}

/**
 * Whether the owner of an account can still log in once the persons of a provider are taken from it: by a password, as
 * a person of another provider, or as somebody of a source whose provider finds the account again.
 */
async function canLogInWithout(
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
