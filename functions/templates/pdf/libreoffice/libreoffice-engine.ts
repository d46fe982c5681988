import { setFlagsFromString } from 'node:v8';
import type { Log } from '../../../../shared/primitives/log.ts';
import { once } from '../../../../shared/primitives/once.ts';
import {
  DocumentRefusedError,
  type PrintingEngine,
  type PrintJob,
  type RawPdf,
} from '../engine-function.ts';
import { JobRefused } from '../watching/started-engine.ts';
import { WatchedEngine } from '../watching/watched-engine.ts';
import { Engine } from './engine.ts';
import type { EngineJob } from './thread-messages.ts';

/**
 * Of the WebAssembly of LibreOffice, V8 optimises what runs often. By its own measure that takes half of the time until
 * the first document and 300 MB; few documents after it are faster.
 */
const OPTIMISE_LATE = '--wasm-tiering-budget=200000000';
/** PDF/A-2b, in the numbering of LibreOffice. */
const PDF_A_2B = 2;
/** Longest time until an engine prints: on a machine that is not overloaded it takes two to four seconds. */
const START_MS = 12_000;
const STALL_MS = 15_000;
const MIN_ATTEMPT_MS = 6_000;
const MAX_JOBS = 200;
/** What an engine takes at the most after many documents, of the 3 008 MB of its function. */
const MAX_MEMORY_BYTES = 2_200 * 1_024 * 1_024;

export interface LibreOfficeOptions {
  /** Gives the folder with the files of the engine; called once, before the first document. */
  readonly files: () => Promise<string>;
  /** Files of fonts besides those of the engine. */
  readonly fonts?: readonly string[];
  /** A small document that warms an engine. */
  readonly trial: Uint8Array;
  /** File of the thread's code. */
  readonly thread: URL;
  /** Memory of the process above which an engine is replaced; what suits its function when left out. */
  readonly maxMemoryBytes?: number;
  /** Longest time until an engine prints (ms); for machines with other work. */
  readonly startMs?: number;
  readonly log: Pick<Log, 'warn'>;
}

/** LibreOffice as WebAssembly. */
export class LibreOfficeEngine implements PrintingEngine {
  readonly #options: LibreOfficeOptions;
  readonly #watched: () => Promise<WatchedEngine<EngineJob>>;

  constructor(options: LibreOfficeOptions) {
    this.#options = options;
    this.#watched = once(() => this.#prepare());
  }

  /** Starts an engine ahead of the first document. */
  async warm(deadline: number): Promise<void> {
    await (await this.#watched()).warm(deadline);
  }

  async print(job: PrintJob, deadline: number): Promise<RawPdf> {
    // LibreOffice would print it as text.
    if (!isArchive(job.bytes)) throw new DocumentRefusedError('It is no DOCX file');
    const watched = await this.#watched();
    try {
      return await watched.convert(jobOf(job), deadline);
    } catch (cause) {
      if (cause instanceof JobRefused) throw new DocumentRefusedError(cause.message, { cause });
      throw cause;
    }
  }

  async stop(): Promise<void> {
    await (await this.#watched()).stop();
  }

  async #prepare(): Promise<WatchedEngine<EngineJob>> {
    const { files, fonts = [], trial, thread, log } = this.#options;
    setFlagsFromString(OPTIMISE_LATE);
    const folder = await files();
    return new WatchedEngine({
      start: () => new Engine({ file: thread, data: { svcEngine: 'libreoffice', folder, fonts } }),
      trial: { bytes: trial, format: 'docx', at: 0, options: {} },
      startMs: this.#options.startMs ?? START_MS,
      stallMs: STALL_MS,
      minAttemptMs: MIN_ATTEMPT_MS,
      maxJobs: MAX_JOBS,
      maxMemoryBytes: this.#options.maxMemoryBytes ?? MAX_MEMORY_BYTES,
      log,
    });
  }
}

const isArchive = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;

function jobOf({ bytes, format, at, pdfA, tagged }: PrintJob): EngineJob {
  const options = { ...(pdfA && { SelectPdfVersion: PDF_A_2B }), UseTaggedPDF: tagged || pdfA };
  return { bytes, format, at: Date.parse(at), options };
}
