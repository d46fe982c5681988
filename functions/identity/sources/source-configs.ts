import type { EncryptionModule, EncryptService } from '../../../shared/ports/security.ts';
import type { BasicConfig, EventSecrets, IdentitySource } from '../domain/sources/source.ts';
import { problems } from '../errors.ts';

/** Seals and opens what sources keep encrypted. */
export class SourceConfigs {
  readonly #encryption: EncryptionModule;

  constructor(encryption: EncryptionModule | EncryptService) {
    this.#encryption = encryption;
  }

  /** The connection data of a source; `undefined`: none are saved. */
  async connection(source: IdentitySource): Promise<BasicConfig | undefined> {
    return source.basicConfig === undefined ? undefined : this.open(source.basicConfig);
  }

  /** Connection data out of their cipher text. */
  async open(sealed: string): Promise<BasicConfig> {
    return JSON.parse(await this.#encryption.decrypt(sealed)) as BasicConfig;
  }

  /** @throws Problem `NOT_CONFIGURED` (409) */
  async connectionOf(source: IdentitySource): Promise<BasicConfig> {
    const found = await this.connection(source);
    if (!found) throw problems.notConfigured({ id: source.id });
    return found;
  }

  /** @throws Problem `ENCRYPT_KEY_MISSING` (409) */
  sealConnection(config: BasicConfig): Promise<string> {
    return this.#encryption.encrypt(JSON.stringify(config));
  }

  async eventSecrets({ eventSecrets }: IdentitySource): Promise<EventSecrets> {
    return JSON.parse(await this.#encryption.decrypt(eventSecrets)) as EventSecrets;
  }

  /** @throws Problem `ENCRYPT_KEY_MISSING` (409) */
  sealEventSecrets(secrets: EventSecrets): Promise<string> {
    return this.#encryption.encrypt(JSON.stringify(secrets));
  }
}
