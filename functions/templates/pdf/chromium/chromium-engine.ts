import type { Log } from '../../../../shared/primitives/log.ts';
import { once } from '../../../../shared/primitives/once.ts';
import {
  DocumentRefusedError,
  type PrintingEngine,
  type PrintJob,
  type RawPdf,
} from '../engine-function.ts';
import { WatchedEngine } from '../watching/watched-engine.ts';
import { type BrowserFiles, type BrowserJob, PrintingBrowser } from './browser.ts';
import { type FontRules, withFonts } from './fonts.ts';

/** Longest time until a browser prints: on a machine that is not overloaded it takes half a second. */
const START_MS = 10_000;
const STALL_MS = 15_000;
const MIN_ATTEMPT_MS = 4_000;
const MAX_JOBS = 500;
/** What a browser takes at the most after many documents, of the 2 048 MB of its function. */
const MAX_MEMORY_BYTES = 1_200 * 1_024 * 1_024;

/** A page that warms a browser and its fonts. */
const TRIAL =
  '<!DOCTYPE html><html lang="vi"><head><title></title></head><body style="font-family:Tinos">Độc lập</body></html>';

export interface ChromiumOptions {
  /** Gives the place of the browser; called once, before the first document. */
  readonly files: () => Promise<BrowserFiles>;
  /** Called once, too. */
  readonly fonts: () => Promise<FontRules>;
  /** Longest time until a browser prints (ms); for machines with other work. */
  readonly startMs?: number;
  /** Time after which a browser that works on a document is taken to stand still (ms). */
  readonly stallMs?: number;
  readonly log: Pick<Log, 'warn'>;
}

/** Chromium, which prints pages. */
export class ChromiumEngine implements PrintingEngine {
  readonly #options: ChromiumOptions;
  readonly #watched: () => Promise<WatchedEngine<BrowserJob>>;
  readonly #fonts: () => Promise<FontRules>;
  #browser: PrintingBrowser | undefined;

  constructor(options: ChromiumOptions) {
    this.#options = options;
    this.#fonts = once(options.fonts);
    this.#watched = once(() => this.#prepare());
  }

  async print({ bytes, tagged }: PrintJob, deadline: number): Promise<RawPdf> {
    const html = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    if (!/^\s*<!doctype html/i.test(html)) throw new DocumentRefusedError('It is no page');
    const watched = await this.#watched();
    return await watched.convert({ html: withFonts(html, await this.#fonts()), tagged }, deadline);
  }

  async stop(): Promise<void> {
    await (await this.#watched()).stop();
  }

  async #prepare(): Promise<WatchedEngine<BrowserJob>> {
    const { files, log, startMs = START_MS, stallMs = STALL_MS } = this.#options;
    const [found, rules] = await Promise.all([files(), this.#fonts()]);
    return new WatchedEngine({
      start: () => {
        this.#browser = new PrintingBrowser(found, startMs);
        return this.#browser;
      },
      trial: { html: withFonts(TRIAL, rules), tagged: false },
      ...{ startMs, stallMs, log },
      ...{ minAttemptMs: MIN_ATTEMPT_MS, maxJobs: MAX_JOBS, maxMemoryBytes: MAX_MEMORY_BYTES },
      memoryBytes: () => this.#browser?.memoryBytes ?? 0,
    });
  }
}
