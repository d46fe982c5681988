import type { Host } from '../../shared/host/host.ts';
import type { SecretReader } from '../../shared/lambda/module-context.ts';
import { isPermitted } from '../../shared/ports/permissions.ts';
import { renewed } from '../../shared/ports/renewed.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import type { SettingService } from '../../shared/ports/settings.ts';
import { type Clock, toInstant } from '../../shared/primitives/clock.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { requestContext } from '../../shared/primitives/request-context.ts';
import { httpProblems } from '../../shared/problems/http-problems.ts';
import type { ProblemItem } from '../../shared/problems/problem.ts';
import type { RefreshScope, RefreshScoped } from '../../shared/refresh/refresh-scope.ts';
import { isCipherText } from '../../shared/security/aes-gcm-text.ts';
import { actorOf, type Principal, systemPrincipal } from '../../shared/security/principal.ts';
import type { PageRequest, ReadPage } from '../../shared/store/paged-read.ts';
import type { RunUnitOfWork } from '../../shared/store/unit-of-work.ts';
import { isMasked, MASK } from './domain/masking.ts';
import {
  AES_SECRET,
  type ChangeKind,
  type Setting,
  type SettingVersion,
} from './domain/setting.ts';
import { problems } from './errors.ts';
import { KeyVersions } from './key-versions.ts';
import { PendingChanges } from './pending-changes.ts';
import type { RefreshService } from './refresh-service.ts';
import type { SettingRepository, SettingSummary } from './repository.ts';
import { createValueCheck, type ValueCheck } from './value-check.ts';

/** Request to save a setting. */
export interface SaveSetting {
  readonly name: string;
  readonly value: string;
  /** Left out: the stored description stays. */
  readonly desc?: string | undefined;
  /** Left out: the stored flag stays; never set: the name decides. */
  readonly secret?: boolean | undefined;
  /** Whether to store the value encrypted; left out: as it is stored now. */
  readonly encrypt?: boolean | undefined;
}

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

/** Rejects the mask as the value of a new setting, as from a pre-filled form. */
const MASK_IS_NO_VALUE: ProblemItem = {
  pointer: '/value',
  code: 'VALUE_REQUIRED',
  detail: 'The mask ****** keeps a stored value, and there is none.',
};

/** Otherwise a caller without `setting:reveal` could uncover a secret by saving its mask. */
const LIFTING_NEEDS_VALUE: ProblemItem = {
  pointer: '/value',
  code: 'VALUE_REQUIRED',
  detail: 'Send the value itself to make a secret setting readable.',
};

/**
 * Reads and writes settings. One save is one transaction: the setting, its history, one step of the refresh
 * epoch. A host may extend this class and name it as `settingService`; the module makes the one instance.
 */
export class StandardSettingService implements SettingService {
  protected readonly deps: SettingServiceDependencies;
  readonly #checkValue: ValueCheck;
  readonly #changes: PendingChanges;
  readonly #versions: KeyVersions;
  readonly #cache = new Map<string, RefreshScoped<string | undefined>>();

  constructor(dependencies: SettingServiceDependencies) {
    this.deps = dependencies;
    this.#checkValue = createValueCheck(dependencies);
    this.#changes = new PendingChanges(dependencies.repository);
    this.#versions = new KeyVersions(dependencies);
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
    return { setting, value: await this.#plainValue(setting) };
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
      const wanted = await this.#complete(request, stored);
      if (stored && (await this.#isUnchanged(wanted, stored)))
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
      const { desc, secret, encrypted } = stored;
      const version = stored.version + 1;
      const entry = {
        version,
        desc,
        secret,
        encrypted,
        at,
        ...actorOf(principal),
        traceId: requestContext().traceId,
        change: 'DELETED',
      } as const;
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

  /** Completes the request with stored values and encrypts the value if needed. */
  async #complete(request: SaveSetting, stored: Setting | undefined): Promise<Content> {
    const { name } = request;
    const desc = request.desc ?? stored?.desc ?? '';
    const secret = request.secret ?? stored?.secret;
    if (stored && request.value === MASK && isMasked(stored)) {
      const encrypted = stored.encrypted || (request.encrypt ?? false);
      const { value, keyVersion } = stored;
      const kept = { name, value, desc, secret, encrypted, keyVersion };
      if (!isMasked(kept)) throw problems.settingInvalid([LIFTING_NEEDS_VALUE]);
      return { ...kept, isPlain: encrypted && !stored.encrypted };
    }
    if (request.value === MASK && name !== AES_SECRET && isMasked({ name, secret })) {
      throw problems.settingInvalid([MASK_IS_NO_VALUE]);
    }
    await this.#checkValue(name, request.value);
    if (name === AES_SECRET) {
      const keyVersion = await this.#versions.current(request.value);
      return { name, value: request.value, desc, secret, encrypted: false, keyVersion };
    }
    const encrypted = request.encrypt ?? stored?.encrypted ?? false;
    return { name, value: request.value, desc, secret, encrypted, isPlain: encrypted };
  }

  async #isUnchanged(wanted: Content, stored: Setting): Promise<boolean> {
    if (wanted.desc !== stored.desc || wanted.secret !== stored.secret) return false;
    if (wanted.encrypted !== stored.encrypted) return false;
    if (wanted.keyVersion !== stored.keyVersion) return false;
    return wanted.value === (wanted.isPlain ? await this.#plainValue(stored) : stored.value);
  }

  async #write(
    { isPlain, ...content }: Content,
    stored: Setting | undefined,
    principal: Principal,
    change: ChangeKind,
  ): Promise<Setting> {
    const { refreshService, encryptService, unitOfWork, clock } = this.deps;
    return unitOfWork(async (unit) => {
      const at = toInstant(clock.now());
      const by = principal.id;
      const setting: Setting = {
        ...content,
        value: isPlain
          ? await encryptService.encrypt(content.value)
          : await this.#underNewestKey(content),
        version:
          ((stored ?? (await this.#changes.newestVersion(unit, content.name)))?.version ?? 0) + 1,
        createdAt: stored?.createdAt ?? at,
        createdBy: stored?.createdBy ?? by,
        updatedAt: at,
        updatedBy: by,
      };
      const { version, desc, secret, encrypted } = setting;
      const value = content.name === AES_SECRET ? undefined : setting.value;
      const entry = {
        version,
        change,
        value,
        desc,
        secret,
        encrypted,
        at,
        ...actorOf(principal),
        traceId: requestContext().traceId,
      };
      const isNewKey =
        content.name === AES_SECRET &&
        stored &&
        (stored.value !== setting.value || stored.keyVersion !== setting.keyVersion);
      const formerKeys = isNewKey ? await this.#versions.formerKeys(stored, at) : [];
      this.#changes.add(unit, { name: content.name, from: stored, to: setting, entry, formerKeys });
      await refreshService.refresh(content.name);
      return setting;
    });
  }

  /**
   * A cipher text that is stored again under the newest key: no change brings one of a former key back, so that keys
   * can be removed once no text uses them. What cannot be decrypted stays as it is.
   */
  async #underNewestKey({ name, value, encrypted }: Content): Promise<string> {
    if (name === AES_SECRET || !(encrypted || isCipherText(value))) return value;
    return (await renewed(value, this.deps.encryptService)) ?? value;
  }

  async #readValue(name: string): Promise<string | undefined> {
    const setting = await this.deps.repository.find(name);
    return setting && this.#plainValue(setting);
  }

  async #plainValue({ value, encrypted }: Setting): Promise<string> {
    return encrypted ? this.deps.encryptService.decrypt(value) : value;
  }
}

type Content = Pick<Setting, 'name' | 'value' | 'desc' | 'secret' | 'encrypted' | 'keyVersion'> & {
  /** The value is not encrypted yet. */
  readonly isPlain?: boolean;
};
