import type { EncryptionModule, EncryptService } from '../../../shared/ports/security.ts';
import type { IdentityProvider, OpenIdConfig } from '../domain/providers/provider.ts';

/** Seals and opens what providers keep encrypted. */
export class ProviderConfigs {
  readonly #encryption: EncryptionModule | EncryptService;

  constructor(encryption: EncryptionModule | EncryptService) {
    this.#encryption = encryption;
  }

  async of({ config }: Pick<IdentityProvider, 'config'>): Promise<OpenIdConfig> {
    return JSON.parse(await this.#encryption.decrypt(config)) as OpenIdConfig;
  }

  /** @throws Problem `ENCRYPT_KEY_MISSING` (409) */
  seal(config: OpenIdConfig): Promise<string> {
    return this.#encryption.encrypt(JSON.stringify(config));
  }
}
