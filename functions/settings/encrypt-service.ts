import type { SecretReader } from '../../shared/lambda/module-context.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import type { Clock } from '../../shared/primitives/clock.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { RefreshScope, RefreshScoped } from '../../shared/refresh/refresh-scope.ts';
import { keyIdOf } from '../../shared/security/aes-gcm-text.ts';
import { decrypt, type EncryptionKey, encrypt } from './domain/cipher-text.ts';
import { deriveKey, readKeyMaterial } from './domain/key-material.ts';
import { AES_SECRET } from './domain/setting.ts';
import { problems } from './errors.ts';
import type { FormerKey, SettingRepository } from './store/setting-repository.ts';

/** A key of the ring, and the entry that holds it; none for the key of the setting itself. */
export interface RingKey {
  readonly entry?: FormerKey;
  /** Ids of the keys behind the entry; `undefined` when they cannot be had now. */
  readonly kids: readonly string[] | undefined;
}

interface KeyRing {
  /** Version of the setting. */
  readonly version: number;
  readonly current: EncryptionKey;
  readonly byKid: ReadonlyMap<string, EncryptionKey>;
  readonly former: readonly RingKey[];
  /** When `current` was last seen to be the newest key (epoch ms). */
  confirmedAt: number;
}

export interface EncryptServiceDependencies {
  readonly repository: SettingRepository;
  readonly readSecret: SecretReader;
  readonly refreshScope: RefreshScope;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long an environment encrypts with a key before it looks again whether it is the newest. */
export const KEY_LEASE_MS = 5 * 60_000;

/**
 * Encrypts texts with AES-256-GCM under the key in the setting `security.aes_secret`, and decrypts them with
 * it or any key that the setting held before. The ring is loaded at first use and follows refreshes. Nothing is
 * encrypted with a key that was not seen to be the newest within the last 5 minutes.
 */
export class AesEncryptService implements EncryptService {
  readonly #deps: EncryptServiceDependencies;
  readonly #derived = new Map<string, Promise<EncryptionKey>>();
  readonly #ring: RefreshScoped<KeyRing | undefined>;

  constructor(dependencies: EncryptServiceDependencies) {
    this.#deps = dependencies;
    this.#ring = dependencies.refreshScope.refreshScoped(AES_SECRET, () => this.#loadRing());
  }

  /** @throws Problem `ENCRYPT_KEY_MISSING` (409) when the setting does not exist. */
  async encrypt(plain: string): Promise<string> {
    const { current } = await this.#confirmed();
    return encrypt(plain, current);
  }

  /** @throws Problem `ENCRYPT_KEY_MISSING` (409), `ENCRYPT_KEY_UNKNOWN` (422), `ENCRYPT_MALFORMED` (422) */
  async decrypt(encrypted: string): Promise<string> {
    const ring = await this.#keys();
    const kid = keyIdOf(encrypted);
    if (kid === undefined) throw problems.encryptMalformed();
    const key = ring.byKid.get(kid) ?? (await this.#lookAgain()).byKid.get(kid);
    if (!key) throw problems.encryptKeyUnknown({ kid });
    const plain = decrypt(encrypted, key);
    if (plain === undefined) throw problems.encryptMalformed();
    return plain;
  }

  async needsReencrypt(encrypted: string): Promise<boolean> {
    const { current } = await this.#confirmed();
    return keyIdOf(encrypted) !== current.kid;
  }

  /** @throws Error when the newest key cannot be read */
  async refreshKeys(): Promise<void> {
    const { clock, repository, refreshScope } = this.#deps;
    const now = clock.now();
    const newest = (await repository.find(AES_SECRET))?.version ?? 0;
    if ((await this.#keys()).version < newest) refreshScope.drop(AES_SECRET);
    const ring = await this.#keys();
    if (ring.version < newest) throw new Error('The newest AES key cannot be read');
    ring.confirmedAt = now;
  }

  /**
   * Reads the ring as it is stored now.
   * @returns the id of the newest key, and the entries of former ones.
   * @throws Problem `ENCRYPT_KEY_MISSING` (409)
   */
  async readRing(): Promise<{ readonly kid: string; readonly former: readonly RingKey[] }> {
    this.#deps.refreshScope.drop(AES_SECRET);
    const ring = await this.#loadRing();
    if (!ring) throw problems.encryptKeyMissing();
    return { kid: ring.current.kid, former: ring.former };
  }

  /** Reload the ring for an unknown key: another environment may have just saved it. */
  async #lookAgain(): Promise<KeyRing> {
    await this.#deps.refreshScope.refreshNow();
    return this.#keys();
  }

  /** Never cache a missing key: the first one may just have been saved. */
  async #keys(): Promise<KeyRing> {
    const ring = (await this.#ring.get()) ?? (await this.#loadRing());
    if (!ring) throw problems.encryptKeyMissing();
    return ring;
  }

  /** The ring for encrypting: a refresh that was missed must not keep an old key in use. */
  async #confirmed(): Promise<KeyRing> {
    const { clock, repository, refreshScope } = this.#deps;
    const ring = await this.#keys();
    const now = clock.now();
    if (now - ring.confirmedAt < KEY_LEASE_MS) return ring;
    if ((await repository.find(AES_SECRET))?.version === ring.version) {
      ring.confirmedAt = now;
      return ring;
    }
    refreshScope.drop(AES_SECRET);
    const newest = await this.#loadRing();
    if (!newest) throw problems.encryptKeyMissing();
    return newest;
  }

  async #loadRing(): Promise<KeyRing | undefined> {
    const { repository, clock } = this.#deps;
    const confirmedAt = clock.now();
    const [setting, entries] = await Promise.all([
      repository.find(AES_SECRET),
      repository.keyring(),
    ]);
    if (!setting) return undefined;
    const current = await this.#derive(setting.value, setting.keyVersion);
    const others = await Promise.all(entries.map((entry) => this.#deriveFormer(entry)));
    const keys = [...others.flatMap((found) => found ?? []), current];
    return {
      version: setting.version,
      current,
      byKid: new Map(keys.map((key) => [key.kid, key])),
      former: entries.map((entry, at) => ({ entry, kids: others[at]?.map(({ kid }) => kid) })),
      confirmedAt,
    };
  }

  /** An unavailable former key must not make the others unusable. */
  async #deriveFormer({ value, keyVersion }: FormerKey): Promise<EncryptionKey[] | undefined> {
    try {
      return [await this.#derive(value, keyVersion)];
    } catch (cause) {
      this.#deps.log.error(
        'A former AES key cannot be read; values encrypted with it cannot be decrypted',
        { cause },
      );
      return undefined;
    }
  }

  async #derive(text: string, keyVersion: string | undefined): Promise<EncryptionKey> {
    const material = readKeyMaterial(text);
    const resolved =
      material.kind === 'reference'
        ? readKeyMaterial(await this.#deps.readSecret(material.reference, keyVersion))
        : material;
    if (resolved.kind !== 'bytes' && resolved.kind !== 'passphrase') {
      throw problems.encryptKeyMissing({
        detail: 'The setting security.aes_secret does not contain a usable key.',
      });
    }
    const identity =
      resolved.kind === 'bytes' ? resolved.bytes.toString('base64') : `p:${resolved.passphrase}`;
    const key = this.#derived.get(identity) ?? deriveKey(resolved);
    this.#derived.set(identity, key);
    return key;
  }
}
