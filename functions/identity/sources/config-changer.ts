import type { DepartmentRepository, PasswordPolicy } from '../../../shared/ports/identity.ts';
import { hashPassword } from '../accounts/password-hash.ts';
import type { IdentitySource, JobConfig, StrategyConfig } from '../domain/sources/source.ts';
import { problems } from '../errors.ts';
import type { SourceSync } from '../sync/source-sync.ts';
import { checkMapping } from './check-mapping.ts';
import { type ConfigChanges, changedConnection, type StrategyChange } from './config-changes.ts';
import type { SourceConfigs } from './source-configs.ts';

/** The blocks of a source after a change. */
export type ChangedBlocks = Partial<
  Pick<IdentitySource, 'basicConfig' | 'strategyConfig' | 'jobConfig'>
>;

interface ConfigChangerDependencies {
  readonly configs: SourceConfigs;
  readonly departments: Pick<DepartmentRepository, 'get'>;
  readonly passwordPolicy: PasswordPolicy;
  readonly sync: Pick<SourceSync, 'schedule'>;
  /** Whether an address may be called. */
  readonly mayOpen: (url: URL) => boolean;
}

const ADDRESSES = ['baseUrl', 'tokenUrl', 'eventJwksUri'] as const;

/** Default passwords that accounts may still have. */
const KEPT_PASSWORDS = 20;

/** Checks changes of a configuration and makes what is stored of them. */
export class ConfigChanger {
  readonly #deps: ConfigChangerDependencies;

  constructor(dependencies: ConfigChangerDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @throws Problem `PASSWORD_REQUIRED`, `WEAK_PASSWORD`, `SCHEDULE_INVALID`, `MAPPING_INVALID`, `TARGET_NOT_FOUND`,
   *   `ADDRESS_NOT_ALLOWED` (400), `ENCRYPT_KEY_MISSING` (409)
   */
  async apply(
    source: Pick<IdentitySource, 'strategyConfig' | 'tenant'> & Partial<IdentitySource>,
    { basicConfig, strategyConfig, jobConfig }: ConfigChanges,
  ): Promise<ChangedBlocks> {
    if (jobConfig) this.#checkSchedule(jobConfig);
    const strategy = strategyConfig && (await this.#strategy(source, strategyConfig));
    const sealed = basicConfig && (await this.#connection(source, basicConfig));
    return {
      ...(sealed && { basicConfig: sealed }),
      ...(strategy && { strategyConfig: strategy }),
      ...(jobConfig && { jobConfig }),
    };
  }

  async #connection(
    { basicConfig }: Partial<IdentitySource>,
    change: NonNullable<ConfigChanges['basicConfig']>,
  ): Promise<string> {
    const { configs, mayOpen } = this.#deps;
    const refused = ADDRESSES.filter((field) => change[field] && !mayOpen(new URL(change[field])));
    if (refused.length > 0) throw problems.addressNotAllowed(refused);
    const stored = basicConfig === undefined ? undefined : await configs.open(basicConfig);
    return configs.sealConnection(changedConnection(change, stored));
  }

  #checkSchedule(jobConfig: JobConfig): void {
    const found = this.#deps.sync.schedule(jobConfig);
    if (!('errors' in found)) return;
    const errors = found.errors.map((error) => ({
      ...error,
      pointer: `/jobConfig${error.pointer ?? ''}`,
    }));
    throw problems.scheduleInvalid(errors);
  }

  async #strategy(
    { strategyConfig, tenant }: Pick<IdentitySource, 'strategyConfig' | 'tenant'>,
    { user: { defaultPassword, defaultPasswordSet, ...user }, ...change }: StrategyChange,
  ): Promise<StrategyConfig> {
    checkMapping(change);
    const { targetId } = change.organization;
    if (targetId !== undefined) {
      const target = await this.#deps.departments.get(targetId);
      if (!target || (target.tenant ?? '') !== tenant) throw problems.targetNotFound({ targetId });
    }
    const known = strategyConfig.user.defaultPasswords;
    const defaultPasswords = await this.#passwords(known, defaultPassword, defaultPasswordSet);
    return { ...change, user: { ...user, defaultPasswords } };
  }

  /** Hashed once, not per account: a sync makes many of them. */
  async #passwords(
    known: StrategyConfig['user']['defaultPasswords'],
    password: string | null | undefined,
    isSet: boolean | undefined,
  ): Promise<StrategyConfig['user']['defaultPasswords']> {
    const version = (known.at(-1)?.version ?? 0) + 1;
    const next = (more: object) => [...known, { version, ...more }].slice(-KEPT_PASSWORDS);
    if (password === null || password === undefined)
      return isSet === false && known.at(-1)?.hash !== undefined ? next({}) : known;
    const reason = await this.#deps.passwordPolicy.check(password);
    if (reason !== undefined) throw problems.weakPassword({ reason });
    return next({ hash: await hashPassword(password) });
  }
}
