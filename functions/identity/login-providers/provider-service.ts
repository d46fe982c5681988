import { randomBytes } from 'node:crypto';
import type { UserRepository } from '../../../shared/ports/identity.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { requireSeen, type SeenVersion } from '../../../shared/problems/seen-version.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { IdentityProvider, OpenIdConfig } from '../domain/providers/provider.ts';
import { problems } from '../errors.ts';
import type { ProviderRepository } from '../store/providers/provider-repository.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import { changedConfig, type OpenIdChange } from './provider-changes.ts';
import type { ProviderConfigs } from './provider-configs.ts';

/** What a caller says of a provider. */
export interface ProviderChange
  extends Pick<
    IdentityProvider,
    'name' | 'displayed' | 'identitySourceId' | 'autoCreate' | 'matching' | 'allowedDomains'
  > {
  readonly remark?: string | null | undefined;
  readonly config: OpenIdChange;
}

interface ProviderServiceDependencies {
  readonly repository: ProviderRepository;
  readonly sources: Pick<SourceRepository, 'find'>;
  readonly configs: ProviderConfigs;
  readonly users: Pick<UserRepository, 'iterateLinks'>;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** A provider with its configuration. */
export interface ProviderDetails {
  readonly provider: IdentityProvider;
  readonly config: OpenIdConfig;
}

/** Providers of the caller's tenant; those of other tenants do not exist for it. */
export class ProviderService {
  readonly #deps: ProviderServiceDependencies;

  constructor(dependencies: ProviderServiceDependencies) {
    this.#deps = dependencies;
  }

  list({ tenant = '' }: Principal): Promise<readonly IdentityProvider[]> {
    return this.#deps.repository.ofTenant(tenant);
  }

  /** What a page for logins shows: providers of a tenant that are enabled and displayed. */
  async displayed(tenant = ''): Promise<readonly IdentityProvider[]> {
    const all = await this.#deps.repository.ofTenant(tenant);
    return all.filter(({ enabled, displayed }) => enabled && displayed);
  }

  /** @throws Problem `IDENTITY_PROVIDER_NOT_FOUND` (404) */
  async get(id: string, principal: Principal): Promise<ProviderDetails> {
    const provider = await this.#own(id, principal);
    return { provider, config: await this.#deps.configs.of(provider) };
  }

  /**
   * Makes a provider, disabled.
   * @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404), `IDENTITY_CODE_EXISTS`, `NAME_EXISTS`, `ENCRYPT_KEY_MISSING` (409)
   */
  async create(
    {
      code = randomBytes(10).toString('hex'),
      ...change
    }: ProviderChange & { readonly code?: string | undefined },
    principal: Principal,
  ): Promise<IdentityProvider> {
    const { repository, unitOfWork, clock, ids } = this.#deps;
    const at = toInstant(clock.now());
    const { id: by, tenant = '' } = principal;
    const provider: IdentityProvider = {
      ...{ id: ids(), tenant, code, type: 'OIDC', enabled: false, version: 1 },
      ...(await this.#said(change, undefined, principal)),
      ...{ createdAt: at, createdBy: by, updatedAt: at, updatedBy: by },
    };
    const taken = {
      code: () => problems.codeExists({ code }),
      name: () => problems.nameExists({ name: change.name }),
    };
    await unitOfWork(async (unit) => repository.stageNew(unit, provider, taken));
    return provider;
  }

  /**
   * @throws Problem `IDENTITY_PROVIDER_NOT_FOUND` (404), `PASSWORD_REQUIRED` (400), `NAME_EXISTS`, `PROVIDER_LINKED` (409),
   *   `VERSION_CONFLICT` (412)
   */
  async update(
    id: string,
    change: ProviderChange,
    principal: Principal,
    seen: SeenVersion = {},
  ): Promise<ProviderDetails> {
    await this.#change(
      id,
      principal,
      seen,
      async ({ remark: _r, identitySourceId: _s, ...before }) => ({
        ...before,
        ...(await this.#said(change, before, principal)),
      }),
    );
    return this.get(id, principal);
  }

  /** @throws Problem `IDENTITY_PROVIDER_NOT_FOUND` (404) */
  async setEnabled(id: string, enabled: boolean, principal: Principal): Promise<ProviderDetails> {
    await this.#change(id, principal, {}, async (provider) =>
      provider.enabled === enabled ? provider : { ...provider, enabled },
    );
    return this.get(id, principal);
  }

  /** @throws Problem `IDENTITY_PROVIDER_NOT_FOUND` (404), `PROVIDER_ENABLED` (409) */
  async delete(id: string, principal: Principal): Promise<void> {
    const { unitOfWork, repository } = this.#deps;
    await unitOfWork(async (unit) => {
      const provider = await this.#own(id, principal);
      if (provider.enabled) throw problems.providerEnabled({ id });
      repository.stageGone(unit, provider);
    });
  }

  async #said(
    { config, remark, ...facts }: ProviderChange,
    before: Pick<IdentityProvider, 'id' | 'config'> | undefined,
    { tenant = '' }: Principal,
  ) {
    const { configs, sources } = this.#deps;
    const { identitySourceId: source } = facts;
    if (source !== undefined && (await sources.find(source))?.tenant !== tenant) {
      throw problems.sourceNotFound({ source });
    }
    const stored = before && (await configs.of(before));
    const next = changedConfig(config, stored);
    if (before && stored?.issuer !== next.issuer && (await this.#isLinked(before))) {
      throw problems.providerLinked({ id: before.id });
    }
    return { ...facts, ...(remark && { remark }), config: await configs.seal(next) };
  }

  /** Whether accounts are linked with persons, whose ids are unknown at another issuer, or belong to other persons. */
  async #isLinked({ id }: Pick<IdentityProvider, 'id'>): Promise<boolean> {
    for await (const _link of this.#deps.users.iterateLinks(id)) return true;
    return false;
  }

  async #own(id: string, { tenant = '' }: Principal): Promise<IdentityProvider> {
    const provider = await this.#deps.repository.find(id);
    if (provider?.tenant !== tenant) throw problems.providerNotFound({ provider: id });
    return provider;
  }

  async #change(
    id: string,
    principal: Principal,
    seen: SeenVersion,
    change: (provider: IdentityProvider) => Promise<IdentityProvider>,
  ): Promise<void> {
    const { unitOfWork, repository, clock } = this.#deps;
    await unitOfWork(async (unit) => {
      const before = await this.#own(id, principal);
      requireSeen(before.version, seen);
      const next = await change(before);
      if (next === before) return;
      const stamps = { updatedAt: toInstant(clock.now()), updatedBy: principal.id };
      const stored = { ...next, ...stamps, version: before.version + 1 };
      repository.stage(unit, stored, before, () => problems.nameExists({ name: stored.name }));
    });
  }
}
