import type { Principal } from '../../../shared/security/principal.ts';
import { DEFAULT_STRATEGY } from '../domain/sources/source.ts';
import type { RateLimiter } from '../store/rate-limiter.ts';
import type { SourceSync, ValidationReport } from '../sync/source-sync.ts';
import { type ConfigChanges, changedConnection } from './config-changes.ts';
import type { SourceConfigs } from './source-configs.ts';
import { supported } from './source-facts.ts';
import type { SourceService } from './source-service.ts';

/** A configuration that is tried. */
export interface ValidationCall extends ConfigChanges {
  readonly provider: string;
  readonly basicConfig: NonNullable<ConfigChanges['basicConfig']>;
  /** A source whose stored secrets are used, for the origin that they were saved for. */
  readonly id?: string | undefined;
}

interface SourceValidatorDependencies {
  readonly sources: Pick<SourceService, 'get'>;
  readonly configs: SourceConfigs;
  readonly sync: Pick<SourceSync, 'validate'>;
  readonly limiter: RateLimiter;
}

/** Without a limit it would be a scanner of ports. */
const CALLS_PER_MINUTE = 10;

/** Tries configurations before they are saved. */
export class SourceValidator {
  readonly #deps: SourceValidatorDependencies;

  constructor(dependencies: SourceValidatorDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @throws Problem `PROVIDER_NOT_SUPPORTED`, `PASSWORD_REQUIRED` (400), `IDENTITY_SOURCE_NOT_FOUND` (404),
   *   `TOO_MANY_REQUESTS` (429)
   */
  async validate(
    { id, provider, basicConfig, strategyConfig, jobConfig = {} }: ValidationCall,
    principal: Principal,
  ): Promise<ValidationReport> {
    const { sources, configs, sync, limiter } = this.#deps;
    supported(provider);
    const source = id === undefined ? undefined : await sources.get(id, principal);
    const stored = source && (await configs.connection(source));
    const connection = changedConnection(basicConfig, stored);
    const known = source?.strategyConfig ?? DEFAULT_STRATEGY;
    const { defaultPasswords } = known.user;
    const strategy = strategyConfig
      ? { ...strategyConfig, user: { ...strategyConfig.user, defaultPasswords } }
      : known;
    await limiter.take(`validate#${principal.issuer ?? ''}#${principal.id}`, CALLS_PER_MINUTE);
    return sync.validate({ basicConfig: connection, strategyConfig: strategy, jobConfig });
  }
}
