import type { HttpClient } from '../../../shared/http-client/contract.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { Check } from '../http/checks.ts';
import { checkProvider } from '../openid/check-provider.ts';
import type { RateLimiter } from '../store/rate-limiter.ts';
import { changedConfig, type OpenIdChange } from './provider-changes.ts';
import type { ProviderService } from './provider-service.ts';

/** A configuration that is tried. */
export interface ProviderTrial {
  readonly config: OpenIdChange;
  /** A provider whose stored secret is used, for the origin that it was saved for. */
  readonly id?: string | undefined;
  /** Address that the provider would send people back to. */
  readonly redirectUri: string;
}

interface ProviderValidatorDependencies {
  readonly providers: Pick<ProviderService, 'get'>;
  readonly http: HttpClient;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly mayOpen: (address: URL) => boolean;
}

/** Without a limit it would be a scanner of ports. */
const CALLS_PER_MINUTE = 10;

/** Tries configurations of providers before they are saved. */
export class ProviderValidator {
  readonly #deps: ProviderValidatorDependencies;

  constructor(dependencies: ProviderValidatorDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @throws Problem `PASSWORD_REQUIRED` (400), `IDENTITY_PROVIDER_NOT_FOUND` (404), `TOO_MANY_REQUESTS` (429)
   */
  async validate(
    { id, config, redirectUri }: ProviderTrial,
    principal: Principal,
  ): Promise<{ readonly valid: boolean; readonly checks: readonly Check[] }> {
    const { providers, limiter } = this.#deps;
    const stored = id === undefined ? undefined : await providers.get(id, principal);
    const tried = changedConfig(config, stored?.config);
    await limiter.take(`provider#${principal.issuer ?? ''}#${principal.id}`, CALLS_PER_MINUTE);
    const checks = await checkProvider(tried, { ...this.#deps, redirectUri });
    return { valid: checks.every(({ status }) => status !== 'FAIL'), checks };
  }
}
