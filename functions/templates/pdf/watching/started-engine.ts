import { TimeUpError } from '../../../../shared/primitives/time-limit.ts';

/** The engine stood still, died or broke: another one may do the work. */
export class EngineBroken extends Error {
  override readonly name = 'EngineBroken';
}

/** The time of a document was up before an engine was ready; the next document finds one sooner. */
export class EngineStarting extends TimeUpError {}

/** The engine says that the document cannot be converted. */
export class JobRefused extends Error {
  override readonly name = 'JobRefused';
}

/** What a job gives. */
export interface EngineOutput {
  readonly pdf: Uint8Array;
  readonly pages: number;
}

/** An engine that was started; of no use after it threw `EngineBroken`. */
export interface StartedEngine<Job> {
  /** Waits until the engine takes documents. @throws EngineBroken */
  ready(): Promise<void>;
  /** @throws EngineBroken, JobRefused */
  convert(job: Job): Promise<EngineOutput>;
  /** Ends the engine, also one that stands still, and gives its memory back. */
  stop(): Promise<void>;
}
