import type { RenewedTexts } from '../../../shared/re-encryption/renewed-texts.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { ProviderRepository } from '../store/providers/provider-repository.ts';
import type { SealedTexts } from './sealed-texts.ts';

/** Configurations of the providers of all tenants, by code. */
export class ProviderTexts implements SealedTexts {
  readonly name = 'providers';
  readonly #providers: ProviderRepository;

  constructor(providers: ProviderRepository) {
    this.#providers = providers;
  }

  async places(after: string | undefined, limit: number): Promise<readonly string[]> {
    const codes = (await this.#providers.all()).map(({ code }) => code).toSorted();
    return codes.filter((code) => after === undefined || code > after).slice(0, limit);
  }

  async stageRenewed(unit: UnitOfWork, code: string, texts: RenewedTexts): Promise<void> {
    const provider = await this.#providers.findByCode(code);
    if (!provider) return;
    const config = (await texts.newest(provider.config)) ?? provider.config;
    if (texts.counts.moved > 0) this.#providers.stageSealed(unit, provider, config);
  }
}
