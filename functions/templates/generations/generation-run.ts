import type { Files } from '../../../shared/files/files.ts';
import { type Clock, toInstant } from '../../../shared/primitives/clock.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { RunUnitOfWork } from '../../../shared/store/unit-of-work.ts';
import {
  type Generation,
  locksPath,
  type Output,
  outputPath,
} from '../domain/documents/generation.ts';
import {
  attemptFiles,
  begun,
  cleaned,
  completed,
  failed,
  type Moment,
  released,
} from '../domain/documents/generation-changes.ts';
import { problems } from '../errors.ts';
import { type GenerationRepository, unlessChanged } from '../store/generation-repository.ts';
import type { DocumentNumbers } from './document-numbers.ts';
import { sourceOf } from './document-source.ts';
import type { GenerationEvents } from './generation-events.ts';
import { failureOf, INTERRUPTED } from './generation-failures.ts';
import type { PreparedDocument } from './preparation.ts';
import type { DocumentWriters } from './writing/document-writer.ts';

interface GenerationRunDependencies {
  readonly generations: GenerationRepository;
  readonly numbers: DocumentNumbers;
  readonly events: GenerationEvents;
  readonly writers: DocumentWriters;
  readonly files: Files;
  readonly unitOfWork: RunUnitOfWork;
  readonly clock: Clock;
  readonly machine: Clock;
  readonly log: Log;
}

/** What a rendering leaves behind that fails. */
export interface RunOptions {
  /** Whether whoever renders it tries again after an error: the generation waits then. */
  readonly isTriedAgain?: ((error: unknown, generation: Generation) => boolean) | undefined;
}

/** Renders generations: each move is conditional on the state that was read, so that of two runs one counts. */
export class GenerationRun {
  readonly #deps: GenerationRunDependencies;

  constructor(dependencies: GenerationRunDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Renders a generation that waits, was interrupted or has failed.
   * @returns the generation with its output; `undefined` when another call renders it
   * @throws Problem `GENERATION_CANCELLED` (409) when it was cancelled meanwhile, or why it cannot be rendered
   */
  async run(
    generation: Generation,
    prepared: PreparedDocument,
    options: RunOptions = {},
  ): Promise<Generation | undefined> {
    const rendering = await this.#begin(generation, prepared);
    return rendering && this.render(rendering, prepared, options);
  }

  /** The same for one that has begun. @throws Problem as `run` */
  async render(
    rendering: Generation,
    prepared: PreparedDocument,
    { isTriedAgain }: RunOptions = {},
  ): Promise<Generation | undefined> {
    const path = outputPath(rendering, rendering.attempt);
    try {
      const done = await this.#write(rendering, path, prepared);
      if (await this.#save(done, 'generated')) return done;
    } catch (error) {
      if (isTriedAgain?.(error, rendering)) await this.#release(rendering);
      else await this.fail(rendering, error);
      throw error;
    }
    for (const written of attemptFiles(rendering)) await this.#deps.files.delete(written);
    const { templateId, id } = rendering;
    const now = await this.#deps.generations.find(templateId, id);
    if (now?.status === 'CANCELLED') throw problems.generationCancelled({ id });
    return undefined;
  }

  /** Takes the number, too, where the fields have begun to show one after the generation was stored. */
  async #begin(
    generation: Generation,
    prepared: PreparedDocument,
  ): Promise<Generation | undefined> {
    const { unitOfWork, generations, numbers } = this.#deps;
    return unlessChanged(() =>
      unitOfWork(async (unit) => {
        const number = generation.documentNumber ?? (await numbers.take(unit, prepared));
        const rendering = begun({ ...generation, documentNumber: number }, this.moment());
        generations.stage(unit, rendering);
        return rendering;
      }),
    );
  }

  moment(): Moment {
    const { clock, machine } = this.#deps;
    return { at: toInstant(clock.now()), machineMs: machine.now() };
  }

  /** Deletes what a generation has left behind, for good. */
  async clean(generation: Generation): Promise<void> {
    await this.deleteRemains(generation);
    await this.#save(cleaned(generation, this.moment()));
  }

  /** Deletes leftovers of a generation, which another call may still write. */
  async deleteRemains({ remains = [] }: Generation): Promise<void> {
    for (const path of remains) await this.#deps.files.delete(path);
  }

  /** Ends a generation whose function is gone. */
  async interrupt(generation: Generation): Promise<boolean> {
    const next = failed(generation, this.moment(), INTERRUPTED);
    return this.#save(next, 'failed');
  }

  /** Ends a generation that an error has stopped. */
  async fail(generation: Generation, error: unknown): Promise<void> {
    await this.#tryTo(generation, async () => {
      const next = failed(generation, this.moment(), failureOf(error));
      if (await this.#save(next, 'failed')) await this.clean(next);
    });
  }

  async #write(
    rendering: Generation,
    path: string,
    prepared: PreparedDocument,
  ): Promise<Generation> {
    const { writers, files } = this.#deps;
    const { id, documentNumber, fileName, format } = rendering;
    const writer = writers[format];
    if (!writer) throw new Error(`Nothing writes ${format}`);
    const facts = { generationId: id, documentNumber, fileName };
    const source = sourceOf(prepared, facts, { showsMissing: false });
    const written = await writer.write(path, source);
    const { contentType, sizeBytes, hash, lockedValues, places } = written;
    const isLocked = lockedValues.length > 0;
    const locks = locksPath(rendering, rendering.attempt);
    if (isLocked) {
      await files.write(locks, Buffer.from(JSON.stringify(lockedValues)), 'application/json');
    }
    const output: Output = {
      ...{ path, contentType, sizeBytes, hash },
      ...(isLocked && { locksPath: locks }),
      ...(places && { places }),
    };
    const warnings = [...rendering.warnings, ...prepared.warnings, ...written.warnings];
    return completed(rendering, this.moment(), output, warnings);
  }

  /** @returns `false` when another call has changed the generation */
  async #save(generation: Generation, event?: 'generated' | 'failed'): Promise<boolean> {
    const { unitOfWork, generations, events } = this.#deps;
    const saved = await unlessChanged(() =>
      unitOfWork(async (unit) => {
        generations.stage(unit, generation);
        if (event) await events.send(event, generation, generation.createdBy);
        return true;
      }),
    );
    return saved === true;
  }

  async #release(rendering: Generation): Promise<void> {
    await this.#tryTo(rendering, async () => {
      await this.#save(released(rendering, this.moment()));
    });
  }

  /** What went wrong is more important than that it could not be written down: a sweep ends it then. */
  async #tryTo({ id }: Generation, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.#deps.log.warn('A failed generation could not be ended', { generation: id, cause });
    }
  }
}
