import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import type { SessionIssuer, UserRepository } from '../../../shared/ports/identity.ts';
import type { EncryptionModule, EncryptService } from '../../../shared/ports/security.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type { IdentityConfig } from '../configuration.ts';
import { createOutgoing, keysOf, mayOpen } from '../http/outgoing.ts';
import { ProviderConfigs } from '../login-providers/provider-configs.ts';
import { ProviderService } from '../login-providers/provider-service.ts';
import { ProviderValidator } from '../login-providers/provider-validator.ts';
import { OpenIdClient } from '../openid/openid-client.ts';
import { LoginRepository } from '../store/providers/login-repository.ts';
import { ProviderRepository } from '../store/providers/provider-repository.ts';
import { RateLimiter } from '../store/rate-limiter.ts';
import { SourceRepository } from '../store/source-repository.ts';
import { LoginAccounts } from './login-accounts.ts';
import { LoginLimits } from './login-limits.ts';
import { LoginService } from './login-service.ts';

interface LoginParts {
  readonly encryption: EncryptionModule | EncryptService;
  readonly users: UserRepository;
  readonly accounts: AccountService;
  readonly sessionIssuer: SessionIssuer;
}

/** Identity providers, and logins through them. */
export function createLogins(context: ServiceContext<IdentityConfig>, parts: LoginParts) {
  const clock = context.tenantClock.machine;
  const repository = new ProviderRepository(context);
  const sources = new SourceRepository(context);
  const configs = new ProviderConfigs(parts.encryption);
  const outgoing = { http: createOutgoing(context), clock, mayOpen: mayOpen(context) };
  const client = new OpenIdClient({ ...outgoing, keysOf: keysOf({ ...context, clock }) });
  const limiter = new RateLimiter(context);
  const providers = new ProviderService({ ...context, ...parts, repository, sources, configs });
  return {
    providers,
    providerValidator: new ProviderValidator({ ...outgoing, providers, limiter }),
    loginLimits: new LoginLimits(limiter),
    logins: new LoginService({
      ...{ ...parts, configs, client, providers: repository },
      logins: new LoginRepository({ ...context, clock }),
      loginAccounts: new LoginAccounts({
        ...{ ...context, ...parts, sources, providers: repository },
        protectedAccounts: context.host.protectedAccounts,
      }),
      hasOwnIssuer: context.host.sessionIssuer !== undefined,
      returnOrigins: context.config.idp.returnOrigins,
    }),
  };
}

/** Ids of the providers that the people of a source log in through. */
export async function providerIdsOf(
  { table }: Pick<ServiceContext, 'table'>,
  sourceId: string,
): Promise<readonly string[]> {
  const all = await new ProviderRepository({ table }).all();
  return all.filter((each) => each.identitySourceId === sourceId).map(({ id }) => id);
}
