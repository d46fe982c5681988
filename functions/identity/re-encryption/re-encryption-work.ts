import type { Job, JobWork, StepOutcome } from '../../../shared/jobs/job.ts';
import { renewed } from '../../../shared/ports/renewed.ts';
import type { EncryptService } from '../../../shared/ports/security.ts';
import { faultPoint } from '../../../shared/primitives/fault-point.ts';
import {
  allTexts,
  NO_TEXTS,
  RenewedTexts,
  type TextCounts,
} from '../../../shared/re-encryption/renewed-texts.ts';
import type { RoundWork } from '../../../shared/re-encryption/round-work.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import type { IdentityJobKind } from '../jobs/identity-jobs.ts';
import type { SealedTexts } from './sealed-texts.ts';

interface ReEncryptionWorkDependencies {
  /** What is encrypted, in the order in which it is walked over. */
  readonly texts: readonly SealedTexts[];
  readonly encryption: EncryptService;
  readonly rounds: RoundWork<IdentityJobKind>;
  readonly unitOfWork: RunUnitOfWork;
}

/** Where a walk over all texts is; nothing: at its beginning. */
interface Progress {
  readonly name?: string | undefined;
  readonly after?: string | undefined;
  readonly counts?: TextCounts;
}

const PLACES_PER_STEP = 50;

/** Gives all cipher texts of the module the newest key when a re-encryption asks for it. */
export class ReEncryptionWork implements JobWork<IdentityJobKind> {
  readonly #deps: ReEncryptionWorkDependencies;

  constructor(dependencies: ReEncryptionWorkDependencies) {
    this.#deps = dependencies;
  }

  /** Starts the walk of an open round, once. @returns whether there was one */
  takeRound(): Promise<boolean> {
    return this.#deps.rounds.take();
  }

  async step(job: Job): Promise<StepOutcome> {
    const { texts, encryption, rounds } = this.#deps;
    const { name, after, counts = NO_TEXTS } = job.progress as Progress;
    const at = name === undefined ? 0 : texts.findIndex((each) => each.name === name);
    const kind = texts[at];
    if (!kind) {
      await rounds.done(job, counts);
      return { isDone: true, result: { moved: counts.moved, unreadable: counts.unreadable } };
    }
    await encryption.refreshKeys?.();
    const places = await kind.places(after, PLACES_PER_STEP);
    let found = NO_TEXTS;
    for (const place of places) found = allTexts(found, await this.#renew(kind, place));
    const isEnd = places.length < PLACES_PER_STEP;
    const next = isEnd
      ? { name: texts[at + 1]?.name ?? END }
      : { name: kind.name, after: places.at(-1) };
    const progress = { ...next, counts: allTexts(counts, found) };
    return { isDone: false, processed: found.processed, progress };
  }

  async clear(job: Job): Promise<void> {
    await this.#deps.rounds.failed(job);
  }

  async #renew(kind: SealedTexts, place: string): Promise<TextCounts> {
    const { unitOfWork, encryption } = this.#deps;
    const counts = await unitOfWork(async (unit) => {
      const texts = new RenewedTexts((text) => renewed(text, encryption));
      await kind.stageRenewed(unit, place, texts);
      return texts.counts;
    });
    faultPoint('identity.after-seal');
    return counts;
  }
}

/** After the last kind. */
const END = '';
