import type { Clock } from '../../shared/primitives/clock.ts';
import { lazy } from '../../shared/primitives/lazy.ts';
import type { Provider } from './domain/sources/source.ts';
import { type CalledHosts, createOutgoing } from './http/outgoing.ts';
import type { IdentitySourceProvider, Providers } from './providers/provider.ts';
import { createScimProvider } from './providers/scim/scim-provider.ts';

interface RegistryDependencies {
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly idp: CalledHosts & { readonly requestsPerSecond: number };
}

/** The kinds of sources. A further one is a folder of `providers/` and a branch here. */
export class IdentitySourceBeanRegistry implements Providers {
  readonly #scim: () => IdentitySourceProvider;

  constructor({ idp, ...dependencies }: RegistryDependencies) {
    const { requestsPerSecond } = idp;
    this.#scim = lazy(() =>
      createScimProvider({
        ...{ ...dependencies, requestsPerSecond },
        http: createOutgoing({ config: { idp } }),
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
