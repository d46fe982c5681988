import type { Host } from '../../shared/host/host.ts';
import type { SecretReader } from '../../shared/lambda/module-context.ts';
import { isPermitted } from '../../shared/ports/permissions.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import type { SettingService } from '../../shared/ports/settings.ts';
import { type Clock, toInstant } from '../../shared/primitives/clock.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { requestContext } from '../../shared/primitives/request-context.ts';
import { httpProblems } from '../../shared/problems/http-problems.ts';
import type { RefreshScope, RefreshScoped } from '../../shared/refresh/refresh-scope.ts';
import { actorOf, type Principal, systemPrincipal } from '../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../shared/store/paged-read.ts';
import type { RunUnitOfWork } from '../../shared/store/unit-of-work.ts';
import { isMasked } from './domain/masking.ts';
import {
  AES_SECRET,
  type ChangeKind,
  deletionsListed,
  isReplaced,
  type Setting,
  type SettingVersion,
  versionOf,
} from './domain/setting.ts';
import { problems } from './errors.ts';
import { KeyVersions } from './key-versions.ts';
import { PendingChanges } from './pending-changes.ts';
import type { RefreshService } from './refresh-service.ts';
import { type SaveSetting, type SettingContent, SettingContents } from './setting-contents.ts';
import type { SettingRepository, SettingSummary } from './store/setting-repository.ts';
import { createValueCheck } from './value-check.ts';

/** Preconditions of a change. */
export interface Precondition {
  /** The version the caller read; `*` stands for any. */
  readonly ifMatch?: string | undefined;
  /** Only create. */
  readonly ifNoneMatch?: boolean;
}

/** Result of a save. */
export interface SaveOutcome {
  readonly setting: Setting;
  readonly kind: 'created' | 'updated' | 'unchanged';
}

/** A version of the history, and whether its value is hidden. */
export type ShownVersion = SettingVersion & { readonly masked: boolean };

export interface SettingServiceDependencies {
  readonly repository: SettingRepository;
  readonly refreshService: RefreshService;
  readonly encryptService: EncryptService;
  readonly unitOfWork: RunUnitOfWork;
  readonly refreshScope: RefreshScope;
  readonly host: Host;
  readonly readSecret: SecretReader;
  readonly clock: Clock;
  readonly log: Log;
}

/** Most values cached per environment; further ones are read each time. */
const MAX_CACHED_NAMES = 1_000;

/**
 * Reads and writes settings. One save is one transaction: the setting, its history, one step of the refresh
 * epoch. A host may extend this class and name it as `settingService`; the module makes the one instance.
 */
export class StandardSettingService implements SettingService {
  protected readonly deps: SettingServiceDependencies;
  readonly #contents: SettingContents;
  readonly #changes: PendingChanges;
  readonly #versions: KeyVersions;
  readonly #cache = new Map<string, RefreshScoped<string | undefined>>();

  constructor(dependencies: SettingServiceDependencies) {
    this.deps = dependencies;
    this.#changes = new PendingChanges(dependencies.repository);
    this.#versions = new KeyVersions(dependencies);
    this.#contents = new SettingContents({
      encryptService: dependencies.encryptService,
      versions: this.#versions,
      checkValue: createValueCheck(dependencies),
    });
  }

  /** The value for code in the same function, decrypted and cached until the setting is refreshed. */
  async getValue(name: string): Promise<string | undefined> {
    const cached = this.#cache.get(name);
    if (cached) return cached.get();
    if (this.#cache.size >= MAX_CACHED_NAMES) return this.#readValue(name);
    const scoped = this.deps.refreshScope.refreshScoped(name, () => this.#readValue(name));
    this.#cache.set(name, scoped);
    return scoped.get();
  }

  /** @throws Problem `SETTING_NOT_FOUND` (404) */
  async getSetting(name: string): Promise<Setting> {
    const setting = await this.deps.repository.find(name);
    if (!setting) throw problems.settingNotFound({ name });
    return setting;
  }

  /**
   * The value behind the mask, for a caller with `setting:reveal`. Every call is logged with the caller.
   * @throws Problem `SETTING_PROTECTED` (409) for the AES key, `FORBIDDEN` (403), `SETTING_NOT_FOUND` (404)
   */
  async reveal(name: string, principal: Principal): Promise<{ setting: Setting; value: string }> {
    const { host, log } = this.deps;
    if (!(await isPermitted(host.permissionEvaluator, principal, 'setting', 'reveal'))) {
      throw httpProblems.forbidden({ permission: 'setting:reveal' });
    }
    if (name === AES_SECRET) {
      throw problems.settingProtected({ detail: 'The AES key is never shown.' });
    }
    const setting = await this.getSetting(name);
    log.info('A setting was revealed', { setting: name, ...actorOf(principal) });
    return { setting, value: await this.#contents.plainValue(setting) };
  }

  /** Settings whose names begin with a prefix, in the order of names. */
  list(
    filter: { readonly prefix?: string | undefined; readonly q?: string | undefined },
    page: PageRequest,
  ): Promise<ReadPage<SettingSummary>> {
    return this.deps.repository.list(filter, page);
  }

  /**
   * Creates a setting, or updates it by its name. Saving what is stored already changes nothing.
   * @throws Problem `VERSION_CONFLICT` (412), `SETTING_EXISTS` (412), `SETTING_INVALID` (422),
   *   `ENCRYPT_KEY_MISSING` (409)
   */
  async save(
    request: SaveSetting,
    principal: Principal,
    precondition: Precondition = {},
  ): Promise<SaveOutcome> {
    return this.deps.unitOfWork(async (unit) => {
      const stored = await this.#changes.find(unit, request.name);
      this.#checkPrecondition(request.name, stored, precondition);
      const wanted = await this.#contents.wanted(request, stored);
      if (stored && (await this.#contents.isUnchanged(wanted, stored)))
        return { setting: stored, kind: 'unchanged' };
      const setting = await this.#write(wanted, stored, principal, stored ? 'UPDATED' : 'CREATED');
      return { setting, kind: stored ? 'updated' : 'created' };
    });
  }

  /**
   * The versions of a setting, newest first; also of a deleted one. What is secret now is hidden in every
   * version, those included that were readable when they were saved.
   * @throws Problem `SETTING_NOT_FOUND` (404)
   */
  async history(name: string, page: PageRequest): Promise<ReadPage<ShownVersion>> {
    const { repository } = this.deps;
    const found = await repository.history(name, page);
    if (found.number === 0 && found.content.length === 0) throw problems.settingNotFound({ name });
    const newest = found.number === 0 ? found.content[0] : await repository.newestVersion(name);
    const isSecretNow = newest !== undefined && isMasked({ ...newest, name });
    const content = found.content.map((version) => ({
      ...version,
      masked: isSecretNow || isMasked({ ...version, name }),
    }));
    return { ...found, content };
  }

  /**
   * Restores an earlier version as a new one, also of a deleted setting. A setting
   * that is secret now stays secret: its earlier values may be the hidden ones.
   * @throws Problem `SETTING_VERSION_NOT_FOUND` (404), `SETTING_PROTECTED` (409) for the AES key, `VERSION_CONFLICT` (412)
   */
  async rollback(
    name: string,
    version: number,
    principal: Principal,
    precondition: Precondition = {},
  ): Promise<Setting> {
    if (name === AES_SECRET) {
      throw problems.settingProtected({
        detail: 'The history contains no AES keys; save the key again.',
      });
    }
    return this.deps.unitOfWork(async (unit) => {
      const stored = await this.#changes.find(unit, name);
      this.#checkPrecondition(name, stored, precondition);
      const past = await this.#changes.findVersion(unit, name, version);
      if (past?.value === undefined) throw problems.settingVersionNotFound({ name, version });
      const newest = stored ?? (await this.#changes.newestVersion(unit, name));
      const uncovers = newest && isMasked({ ...newest, name }) && !isMasked({ ...past, name });
      const { value, desc, encrypted } = past;
      return this.#write(
        { name, value, desc, secret: uncovers ? true : past.secret, encrypted },
        stored,
        principal,
        'ROLLED_BACK',
      );
    });
  }

  /**
   * Deletes a setting; its history stays. The AES key moves to the ring, so what it encrypted stays readable
   * once there is a new one.
   * @throws Problem `SETTING_NOT_FOUND` (404), `VERSION_CONFLICT` (412)
   */
  async delete(name: string, principal: Principal, precondition: Precondition = {}): Promise<void> {
    await this.deps.unitOfWork(async (unit) => {
      const { refreshService, clock } = this.deps;
      const stored = await this.#changes.find(unit, name);
      if (!stored) throw problems.settingNotFound({ name });
      this.#checkPrecondition(name, stored, precondition);
      const at = toInstant(clock.now());
      const last = { ...stored, version: stored.version + 1 };
      const entry = this.#entryOf(last, 'DELETED', at, principal);
      const formerKeys = name === AES_SECRET ? await this.#versions.formerKeys(stored, at) : [];
      this.#changes.add(unit, { name, from: stored, to: undefined, entry, formerKeys });
      await refreshService.refresh(name);
    });
  }

  /**
   * Takes over the current version of the secret that the AES setting points to: what was rotated becomes the newest
   * key in every environment, and the version before goes to the ring. A version without a usable key is not taken.
   * @returns whether there was another version.
   */
  async followSecret(): Promise<boolean> {
    return this.deps.unitOfWork(async (unit) => {
      const stored = await this.#changes.find(unit, AES_SECRET);
      const keyVersion = stored && (await this.#versions.rotated(stored));
      if (!stored || keyVersion === undefined) return false;
      const { name, value, desc, secret, encrypted } = stored;
      const content = { name, value, desc, secret, encrypted, keyVersion };
      await this.#write(content, stored, systemPrincipal, 'UPDATED');
      return true;
    });
  }

  #checkPrecondition(
    name: string,
    stored: Setting | undefined,
    { ifMatch, ifNoneMatch }: Precondition,
  ): void {
    if (ifNoneMatch && stored) throw problems.settingExists({ name });
    if (ifMatch === undefined) return;
    const holds = stored !== undefined && (ifMatch === '*' || ifMatch === String(stored.version));
    if (!holds) throw httpProblems.versionConflict({ expected: ifMatch, actual: stored?.version });
  }

  async #write(
    wanted: SettingContent,
    stored: Setting | undefined,
    principal: Principal,
    change: ChangeKind,
  ): Promise<Setting> {
    const { refreshService, unitOfWork, clock } = this.deps;
    const { isPlain: _, ...content } = wanted;
    return unitOfWork(async (unit) => {
      const at = toInstant(clock.now());
      const by = principal.id;
      const isListed = content.name === AES_SECRET && deletionsListed(content, stored);
      const setting: Setting = {
        ...content,
        ...(isListed && { deletionsListed: true }),
        value: await this.#contents.storedValue(wanted),
        version:
          ((stored ?? (await this.#changes.newestVersion(unit, content.name)))?.version ?? 0) + 1,
        createdAt: stored?.createdAt ?? at,
        createdBy: stored?.createdBy ?? by,
        updatedAt: at,
        updatedBy: by,
      };
      const entry = this.#entryOf(setting, change, at, principal);
      const isNewKey = content.name === AES_SECRET && stored && isReplaced(stored, setting);
      const formerKeys = isNewKey ? await this.#versions.formerKeys(stored, at) : [];
      this.#changes.add(unit, { name: content.name, from: stored, to: setting, entry, formerKeys });
      await refreshService.refresh(content.name);
      return setting;
    });
  }

  #entryOf(setting: Setting, change: ChangeKind, at: string, principal: Principal): SettingVersion {
    return versionOf(setting, {
      ...{ change, at, traceId: requestContext().traceId },
      actor: actorOf(principal),
    });
  }

  async #readValue(name: string): Promise<string | undefined> {
    const setting = await this.deps.repository.find(name);
    return setting && this.#contents.plainValue(setting);
  }
}
