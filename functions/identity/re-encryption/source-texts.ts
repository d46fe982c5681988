import type { RenewedTexts } from '../../../shared/re-encryption/renewed-texts.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { SourceRepository } from '../store/source-repository.ts';
import type { SealedTexts } from './sealed-texts.ts';

/** Connection data and secrets of the sources of all tenants, by code. */
export class SourceTexts implements SealedTexts {
  readonly name = 'sources';
  readonly #sources: SourceRepository;

  constructor(sources: SourceRepository) {
    this.#sources = sources;
  }

  places(after: string | undefined, limit: number): Promise<readonly string[]> {
    return this.#sources.codes(after, limit);
  }

  async stageRenewed(unit: UnitOfWork, code: string, texts: RenewedTexts): Promise<void> {
    const source = await this.#sources.findByCode(code);
    if (!source) return;
    const basicConfig = await texts.newest(source.basicConfig);
    const eventSecrets = await texts.newest(source.eventSecrets);
    if (texts.counts.moved > 0)
      this.#sources.stageSealed(unit, source, { basicConfig, eventSecrets });
  }
}
