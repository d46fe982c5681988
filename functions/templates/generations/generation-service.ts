import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { KeptCall } from '../../../shared/security/kept-call.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { type Generation, hasOutput, isOpen } from '../domain/documents/generation.ts';
import { problems } from '../errors.ts';
import type { GenerationRepository } from '../store/generation-repository.ts';
import {
  type CallKeys,
  HeaderReused,
  hashOf,
  type IdempotencyRepository,
  type KnownCall,
} from '../store/idempotency-repository.ts';
import type { GenerationRun, RunOptions } from './generation-run.ts';
import type { GenerationStarter } from './generation-starter.ts';
import type { DocumentRequest, Preparation, PreparedDocument } from './preparation.ts';
import { isAnswer, marked } from './replays.ts';

/** A document to be generated. */
export interface GenerateRequest extends DocumentRequest {
  /** One generation for each key and template, for as long as it is kept; after a cancellation a new one. */
  readonly idempotencyKey?: string | undefined;
}

/** A generation, and whether an earlier call has made it. */
export interface GenerateOutcome {
  readonly generation: Generation;
  readonly isReplay: boolean;
}

/** How a document is generated besides. */
export interface GenerateOptions extends RunOptions {
  /** The `Idempotency-Key` of the call. */
  readonly header?: KeptCall | undefined;
  /** The job that generates it. */
  readonly jobId?: string | undefined;
}

interface GenerationServiceDependencies {
  readonly preparation: Preparation;
  readonly starter: GenerationStarter;
  readonly run: GenerationRun;
  readonly generations: GenerationRepository;
  readonly idempotency: IdempotencyRepository;
  readonly machine: Clock;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
}

/** A call that follows what an earlier one generates. */
interface FollowedCall {
  readonly request: DocumentRequest;
  readonly principal: Principal;
  readonly runs: RunOptions;
  /** When it waits no longer. */
  readonly endsAt: number;
}

/** How long a call waits for the rendering of another one, and how often it looks. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 250;

/** Generates documents, each once for its keys. */
export class GenerationService {
  readonly #deps: GenerationServiceDependencies;

  constructor(dependencies: GenerationServiceDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @throws Problem as `Preparation.prepare`; `GENERATION_IN_PROGRESS`, `GENERATION_CANCELLED` (409),
   *   `IDEMPOTENCY_KEY_REUSED` (422), or why it cannot be rendered
   */
  async generate(
    templateId: string,
    { idempotencyKey, ...request }: GenerateRequest,
    principal: Principal,
    { header, jobId, ...runs }: GenerateOptions = {},
  ): Promise<GenerateOutcome> {
    const keys = { templateId, idempotencyKey, header, requestHash: hashOf(request) };
    const call = { request, principal, runs, endsAt: this.#deps.machine.now() + PATIENCE_MS };
    const gone: string[] = [];
    for (let known = await this.find(keys); ; ) {
      const earlier = known && (await this.#outcomeOf(templateId, known, call));
      if (earlier) return earlier;
      if (known) {
        gone.push(known.generationId);
        known = await this.find(keys, gone);
        if (known) continue;
      }
      const prepared = await this.#deps.preparation.prepare(templateId, request, principal);
      const started = await this.#deps.starter.start(prepared, keys, principal, {
        ...{ gone, jobId, isBegun: true },
      });
      if ('generationId' in started) {
        known = started;
        continue;
      }
      const made = await this.#made(started, prepared, call);
      if (made) return made;
    }
  }

  /** What the keys of a call stand for already. */
  async #outcomeOf(
    templateId: string,
    known: KnownCall,
    call: FollowedCall,
  ): Promise<GenerateOutcome | undefined> {
    const earlier = await this.#deps.generations.find(templateId, known.generationId);
    if (!earlier || !isAnswer(earlier, known, call.principal)) return undefined;
    return this.#follow(earlier, known, call);
  }

  /** Renders a generation that this call has stored as begun, unless another call takes it over. */
  async #made(
    started: Generation,
    prepared: PreparedDocument,
    call: FollowedCall,
  ): Promise<GenerateOutcome | undefined> {
    const generation = await this.#deps.run.render(started, prepared, call.runs);
    if (generation) return { generation, isReplay: false };
    return this.#follow(started, { generationId: started.id, isSame: true }, call);
  }

  /**
   * Which generation the keys of a call stand for.
   * @param gone generations that they no longer stand for
   * @throws Problem `IDEMPOTENCY_KEY_REUSED` (422)
   */
  async find(keys: CallKeys, gone: readonly string[] = []): Promise<KnownCall | undefined> {
    if (!keys.header && keys.idempotencyKey === undefined) return undefined;
    try {
      const nowS = Math.floor(this.#deps.machine.now() / 1_000);
      return await this.#deps.idempotency.find(keys, nowS, gone);
    } catch (error) {
      if (error instanceof HeaderReused) throw httpProblems.idempotencyKeyReused();
      throw error;
    }
  }

  /**
   * What an earlier call generates or has generated; taken over when its function is gone, or has failed.
   * @returns `undefined` when it has failed, and was of another request
   */
  async #follow(
    earlier: Generation,
    { isSame }: KnownCall,
    call: FollowedCall,
  ): Promise<GenerateOutcome | undefined> {
    const { templateId, id } = earlier;
    for (let now: Generation | undefined = earlier; ; ) {
      if (!now || now.status === 'CANCELLED') throw problems.generationCancelled({ id });
      if (hasOutput(now)) return { generation: marked(now, isSame), isReplay: true };
      if (now.status === 'FAILED' && !isSame) return undefined;
      const done = await this.#goOn(now, isSame, call);
      if (done) return { generation: done, isReplay: true };
      now = await this.#deps.generations.find(templateId, id);
    }
  }

  /** Waits for whoever renders a generation, or takes it over. @returns the generation when this call has rendered it */
  async #goOn(
    generation: Generation,
    isSame: boolean,
    call: FollowedCall,
  ): Promise<Generation | undefined> {
    const { machine, run, pause = sleep } = this.#deps;
    const isRendered = isOpen(generation) && machine.now() <= generation.leaseUntil;
    if (!isRendered && isSame) return this.#takeOver(generation, call);
    // What another request has asked for is not made of this one.
    if (!isRendered) await run.interrupt(generation);
    else if (machine.now() >= call.endsAt) throw problems.generationInProgress(generation);
    else await pause(LOOK_MS);
    return undefined;
  }

  async #takeOver(
    generation: Generation,
    { request, principal, runs }: FollowedCall,
  ): Promise<Generation | undefined> {
    const { preparation, run } = this.#deps;
    const { templateId, fileVersion } = generation;
    const same = { ...request, outputFormat: generation.format, fileVersion };
    return run.run(generation, await preparation.prepare(templateId, same, principal), runs);
  }
}
