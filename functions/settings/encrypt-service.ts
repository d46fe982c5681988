import type { SecretReader } from '../../shared/lambda/module-context.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { RefreshScope, RefreshScoped } from '../../shared/refresh/refresh-scope.ts';
import { decrypt, type EncryptionKey, encrypt, keyIdOf } from './domain/cipher-text.ts';
import { deriveKey, readKeyMaterial } from './domain/key-material.ts';
import { AES_SECRET } from './domain/setting.ts';
import { problems } from './errors.ts';
import type { SettingRepository } from './repository.ts';

interface KeyRing {
  readonly current: EncryptionKey;
  readonly byKid: ReadonlyMap<string, EncryptionKey>;
}

export interface EncryptServiceDependencies {
  readonly repository: SettingRepository;
  readonly readSecret: SecretReader;
  readonly refreshScope: RefreshScope;
  readonly log: Log;
}

/**
 * Encrypts texts with AES-256-GCM under the key in the setting `security.aes_secret`, and decrypts them with
 * it or any key that the setting held before. The ring is loaded at first use and follows refreshes.
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
    const { current } = await this.#keys();
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
    const { current } = await this.#keys();
    return keyIdOf(encrypted) !== current.kid;
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

  async #loadRing(): Promise<KeyRing | undefined> {
    const { repository } = this.#deps;
    const [setting, former] = await Promise.all([
      repository.find(AES_SECRET),
      repository.keyring(),
    ]);
    if (!setting) return undefined;
    const current = await this.#derive(setting.value);
    const others = await Promise.all(former.map((text) => this.#deriveFormer(text)));
    const keys = [...others.filter((key) => key !== undefined), current];
    return { current, byKid: new Map(keys.map((key) => [key.kid, key])) };
  }

  /** An unavailable former key must not make the others unusable. */
  async #deriveFormer(text: string): Promise<EncryptionKey | undefined> {
    try {
      return await this.#derive(text);
    } catch (cause) {
      this.#deps.log.error(
        'A former AES key cannot be read; values encrypted with it cannot be decrypted',
        {
          cause,
        },
      );
      return undefined;
    }
  }

  async #derive(text: string): Promise<EncryptionKey> {
    const material = readKeyMaterial(text);
    const resolved =
      material.kind === 'reference'
        ? readKeyMaterial(await this.#deps.readSecret(material.reference))
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
