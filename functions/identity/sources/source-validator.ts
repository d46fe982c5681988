import type { Principal } from '../../../shared/security/principal.ts';
import {
  type BasicConfig,
  DEFAULT_STRATEGY,
  type StrategyConfig,
} from '../domain/sources/source.ts';
import { problems } from '../errors.ts';
import type { RateLimiter } from '../store/rate-limiter.ts';
import type {
  PreviewedUser,
  SourceSync,
  ValidationReport,
  WantedUser,
} from '../sync/source-sync.ts';
import { checkMapping } from './check-mapping.ts';
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
  readonly sync: Pick<SourceSync, 'validate' | 'preview'>;
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
   * @throws Problem `PROVIDER_NOT_SUPPORTED`, `PASSWORD_REQUIRED`, `MAPPING_INVALID` (400), `IDENTITY_SOURCE_NOT_FOUND`
   *   (404), `TOO_MANY_REQUESTS` (429)
   */
  async validate(call: ValidationCall, principal: Principal): Promise<ValidationReport> {
    const tried = await this.#tried(call, principal);
    return this.#deps.sync.validate({ ...tried, jobConfig: call.jobConfig ?? {} });
  }

  /**
   * Shows what a configuration makes of one user of the source.
   * @throws Problem `SOURCE_USER_NOT_FOUND` (404), `SOURCE_UNREADABLE` (422), and those of `validate`
   */
  async preview(
    { wanted, ...call }: ValidationCall & { readonly wanted: WantedUser },
    principal: Principal,
  ): Promise<PreviewedUser> {
    const tried = await this.#tried(call, principal);
    const found = await this.#deps.sync.preview({ ...tried, wanted, sourceId: call.id });
    if (!found) throw problems.sourceUserNotFound();
    return found;
  }

  async #tried(
    { id, provider, basicConfig, strategyConfig }: ValidationCall,
    principal: Principal,
  ): Promise<{ readonly basicConfig: BasicConfig; readonly strategyConfig: StrategyConfig }> {
    const { sources, configs, limiter } = this.#deps;
    supported(provider);
    const source = id === undefined ? undefined : await sources.get(id, principal);
    const stored = source && (await configs.connection(source));
    const connection = changedConnection(basicConfig, stored);
    const known = source?.strategyConfig ?? DEFAULT_STRATEGY;
    const { defaultPasswords } = known.user;
    const strategy = strategyConfig
      ? { ...strategyConfig, user: { ...strategyConfig.user, defaultPasswords } }
      : known;
    checkMapping(strategy);
    await limiter.take(`validate#${principal.issuer ?? ''}#${principal.id}`, CALLS_PER_MINUTE);
    return { basicConfig: connection, strategyConfig: strategy };
  }
}
