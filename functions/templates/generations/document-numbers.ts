import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { DEFAULT_PATTERN, documentNumber } from '../domain/documents/document-number.ts';
import { wallTimeOf, wallTimeText } from '../domain/values/wall-time.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import type { PreparedDocument } from './preparation.ts';

/** Calls that take numbers of one template at the same time are repeated for so long. */
const PATIENCE_MS = 10_000;

/** Gives documents their numbers. */
export class DocumentNumbers {
  readonly #generations: Pick<GenerationRepository, 'stageNumber'>;

  constructor({
    generations,
  }: { readonly generations: Pick<GenerationRepository, 'stageNumber'> }) {
    this.#generations = generations;
  }

  /** Takes the next number of the template, in the unit that stores it with its document; none for one that shows none. */
  async take(
    unit: UnitOfWork,
    { template, nowMs, settings, usesNumber }: PreparedDocument,
  ): Promise<string | undefined> {
    if (!usesNumber) return undefined;
    unit.retryFor(PATIENCE_MS);
    const sequence = await this.#generations.stageNumber(unit, template.id);
    const { numberPattern = DEFAULT_PATTERN, code } = template;
    return documentNumber(numberPattern, { sequence, day: dayOf(nowMs, settings.zone), code });
  }
}

/** The day on the wall. */
function dayOf(nowMs: number, zone: string): string {
  const now = wallTimeOf(nowMs, zone);
  return now ? wallTimeText({ ...now, hasTime: false }) : '';
}
