import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import { requireSeen, type SeenVersion } from '../../../shared/problems/seen-version.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { DEFAULT_STRATEGY, type IdentitySource } from '../domain/sources/source.ts';
import { problems } from '../errors.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import type { SourceSync } from '../sync/source-sync.ts';
import type { ConfigChanger } from './config-changer.ts';
import type { ConfigChanges } from './config-changes.ts';
import { newEventSecret } from './event-secret.ts';
import type { SourceConfigs } from './source-configs.ts';
import { randomCode, supported } from './source-facts.ts';
import { fits, type SourceListCall } from './source-list.ts';

/** A source to be made. */
export interface NewSource extends ConfigChanges {
  readonly name: string;
  readonly provider: string;
  /** Default: chosen at random. */
  readonly code?: string | undefined;
  readonly remark?: string | null | undefined;
}

interface SourceServiceDependencies {
  readonly repository: SourceRepository;
  readonly configs: SourceConfigs;
  readonly changer: ConfigChanger;
  readonly sync: Pick<SourceSync, 'register' | 'deregister'>;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Sources of the caller's tenant; those of other tenants do not exist for it. */
export class SourceService {
  readonly #deps: SourceServiceDependencies;

  constructor(dependencies: SourceServiceDependencies) {
    this.#deps = dependencies;
  }

  async list({ page = 0, size, ...filter }: SourceListCall, { tenant = '' }: Principal) {
    const all = await this.#deps.repository.ofTenant(tenant);
    const found = all.filter((source) => fits(source, filter));
    return {
      content: found.slice(page * size, (page + 1) * size),
      ...{ number: page, size, total: found.length },
    };
  }

  /** @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404) */
  async get(id: string, { tenant = '' }: Pick<Principal, 'tenant'>): Promise<IdentitySource> {
    const source = await this.#deps.repository.find(id);
    if (source?.tenant !== tenant) throw problems.sourceNotFound({ source: id });
    return source;
  }

  /**
   * Makes a source, disabled.
   * @throws Problem `PROVIDER_NOT_SUPPORTED` (400), `IDENTITY_CODE_EXISTS`, `NAME_EXISTS`, `ENCRYPT_KEY_MISSING` (409), and what a
   *   configuration may be refused for.
   */
  async create(
    { code = randomCode(), ...call }: NewSource,
    principal: Principal,
  ): Promise<{ readonly source: IdentitySource; readonly eventSecret: string }> {
    const { repository, unitOfWork } = this.#deps;
    const eventSecret = newEventSecret();
    const source = await this.#drafted({ code, ...call }, eventSecret, principal);
    const taken = {
      code: () => problems.codeExists({ code }),
      name: () => problems.nameExists({ name: call.name }),
    };
    await unitOfWork(async (unit) => repository.stageNew(unit, source, taken));
    return { source, eventSecret };
  }

  async #drafted(
    { code, name, provider, remark, ...changes }: NewSource & { readonly code: string },
    eventSecret: string,
    { id: by, tenant = '' }: Principal,
  ): Promise<IdentitySource> {
    const { clock, ids, configs, changer } = this.#deps;
    const at = toInstant(clock.now());
    const base = { tenant, strategyConfig: DEFAULT_STRATEGY };
    return {
      ...{ id: ids(), code, name, provider: supported(provider), ...base, jobConfig: {} },
      ...(remark && { remark }),
      ...(await changer.apply(base, changes)),
      eventSecrets: await configs.sealEventSecrets({ current: eventSecret }),
      ...{ enabled: false, configured: changes.basicConfig !== undefined, version: 1 },
      ...{ createdAt: at, createdBy: by, updatedAt: at, updatedBy: by },
    };
  }

  /** @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404), `NAME_EXISTS` (409), `VERSION_CONFLICT` (412) */
  update(
    id: string,
    { name, remark }: { readonly name: string; readonly remark?: string | null | undefined },
    principal: Principal,
    seen: SeenVersion = {},
  ): Promise<IdentitySource> {
    return this.#change(id, principal, seen, async ({ remark: _remark, ...source }) => ({
      ...source,
      name,
      ...(remark && { remark }),
    }));
  }

  /**
   * Saves the blocks that are named; the schedule of an enabled source is replaced.
   * @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404), `VERSION_CONFLICT` (412), and those of `ConfigChanger.apply`
   */
  async saveConfig(
    id: string,
    changes: ConfigChanges,
    principal: Principal,
    seen: SeenVersion = {},
  ): Promise<IdentitySource> {
    const saved = await this.#change(id, principal, seen, async (source) => {
      const blocks = await this.#deps.changer.apply(source, changes);
      const configured = source.configured || blocks.basicConfig !== undefined;
      return { ...source, ...blocks, configured };
    });
    if (saved.enabled) await this.#deps.sync.register(saved);
    return saved;
  }

  /** Enables a source and puts its schedule in place; never refused. @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404) */
  async enable(id: string, principal: Principal): Promise<IdentitySource> {
    const source = await this.#setEnabled(id, true, principal);
    await this.#deps.sync.register(source);
    return source;
  }

  /** Disables a source, takes its schedule away and ends its run. @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404) */
  async disable(id: string, principal: Principal): Promise<IdentitySource> {
    const source = await this.#setEnabled(id, false, principal);
    await this.#deps.sync.deregister(source);
    return source;
  }

  /**
   * Makes a new secret for events; the former one works for 24 hours more.
   * @throws Problem `IDENTITY_SOURCE_NOT_FOUND` (404)
   */
  async rotateSecret(id: string, principal: Principal): Promise<string> {
    const { configs, clock } = this.#deps;
    const current = newEventSecret();
    await this.#change(id, principal, {}, async (source) => {
      const { current: secret } = await configs.eventSecrets(source);
      const until = toInstant(clock.now() + FORMER_SECRET_MS);
      const sealed = await configs.sealEventSecrets({ current, previous: { secret, until } });
      return { ...source, eventSecrets: sealed };
    });
    return current;
  }

  async #setEnabled(id: string, enabled: boolean, principal: Principal): Promise<IdentitySource> {
    return this.#change(id, principal, {}, async (source) =>
      source.enabled === enabled ? source : { ...source, enabled },
    );
  }

  /** Stores what a change makes of a source, unless it leaves it as it is. */
  async #change(
    id: string,
    principal: Principal,
    seen: SeenVersion,
    change: (source: IdentitySource) => Promise<IdentitySource>,
  ): Promise<IdentitySource> {
    const { unitOfWork, repository, clock } = this.#deps;
    return unitOfWork(async (unit) => {
      const before = await this.get(id, principal);
      requireSeen(before.version, seen);
      const next = await change(before);
      if (next === before) return before;
      const stamps = { updatedAt: toInstant(clock.now()), updatedBy: principal.id };
      const stored = { ...next, ...stamps, version: before.version + 1 };
      const { name } = stored;
      repository.stage(unit, stored, before, () => problems.nameExists({ name }));
      return stored;
    });
  }
}

const FORMER_SECRET_MS = 24 * 3_600_000;
