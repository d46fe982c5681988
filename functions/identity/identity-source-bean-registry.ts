import { createHttpClient } from '../../shared/http-client/http-client.ts';
import type { Clock } from '../../shared/primitives/clock.ts';
import { lazy } from '../../shared/primitives/lazy.ts';
import type { Provider } from './domain/sources/source.ts';
import type { IdentitySourceProvider, Providers } from './providers/provider.ts';
import { createScimProvider } from './providers/scim/scim-provider.ts';

interface RegistryDependencies {
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly idp: {
    readonly allowedHosts: readonly string[];
    readonly allowInsecureHosts: readonly string[];
    readonly requestsPerSecond: number;
  };
}

/** The kinds of sources. A further one is a folder of `providers/` and a branch here. */
export class IdentitySourceBeanRegistry implements Providers {
  readonly #scim: () => IdentitySourceProvider;

  constructor({ idp, ...dependencies }: RegistryDependencies) {
    const { allowedHosts, allowInsecureHosts, requestsPerSecond } = idp;
    this.#scim = lazy(() =>
      createScimProvider({
        ...{ ...dependencies, requestsPerSecond },
        http: createHttpClient({
          connectTimeoutMs: 10_000,
          namedOrigins: [
            ...[...allowedHosts, ...allowInsecureHosts].map((host) => `https://${host}`),
            ...allowInsecureHosts.map((host) => `http://${host}`),
          ],
        }),
      }),
    );
  }

  of(kind: Provider): IdentitySourceProvider {
    switch (kind) {
      case 'EXTSRC':
        return this.#scim();
    }
  }
}
