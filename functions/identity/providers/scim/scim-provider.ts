import type { IdentitySourceProvider } from '../provider.ts';
import type { ScimConfig, ScimDependencies } from './connection.ts';
import { Logins } from './login.ts';
import { ScimClient } from './scim-client.ts';
import { validateScim } from './validator.ts';

/** SCIM 2.0 service providers: the sources of kind EXTSRC. */
export function createScimProvider(dependencies: ScimDependencies): IdentitySourceProvider {
  const logins = new Logins(dependencies.clock);
  return {
    client: (key: string, config: ScimConfig) =>
      new ScimClient({ key, config }, dependencies, logins),
    // Logins of what is not saved are not kept.
    validate: (config: ScimConfig) =>
      validateScim(
        new ScimClient({ key: '', config }, dependencies, new Logins(dependencies.clock)),
        dependencies.clock,
      ),
  };
}
