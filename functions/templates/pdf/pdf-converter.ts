import type {
  PdfConverter,
  PdfRequest,
  PdfSource,
  PdfWish,
  PrintedPdf,
} from '../../../shared/ports/pdf.ts';
import type { Clock } from '../../../shared/primitives/clock.ts';
import { problems } from '../errors.ts';
import { type EngineCall, type EngineReply, engineReply } from './engine-call.ts';
import { abilitiesOf, type PdfEngine } from './engines.ts';

/** Most pages of a PDF. */
const MAX_PAGES = 500;
/** First pause before an engine is asked again that had no room (ms); it doubles up to the longest. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** What an engine needs of the caller's time at the least (ms): one that is at a document when that is over is replaced. */
const MIN_CALL_MS = 2_000;
/** How long callers wait who come when all engines are at work. */
const RETRY_AFTER_SECONDS = 5;

/** Calls the function of an engine. */
export interface EngineFunction {
  /** @throws EngineBusy, EngineLate; any other error: the function failed */
  invoke(call: EngineCall): Promise<unknown>;
}

/** All environments of the engine are at work. */
export class EngineBusy extends Error {
  override readonly name = 'EngineBusy';
}

/** The engine did not answer in time. */
export class EngineLate extends Error {
  override readonly name = 'EngineLate';
}

interface Answer {
  readonly reply: EngineReply;
  /** Whether all engines were at work before. */
  readonly hasWaited: boolean;
}

export interface PdfConverterOptions {
  readonly engine: PdfEngine;
  /** Absent with the engine `none`. */
  readonly engineFunction: EngineFunction | undefined;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** Prints documents by the function of an engine and waits while all its environments are at work. */
export class EnginePdfConverter implements PdfConverter {
  readonly #options: PdfConverterOptions;

  constructor(options: PdfConverterOptions) {
    this.#options = options;
  }

  async convert(request: PdfRequest): Promise<PrintedPdf> {
    const { source, pdfA, tagged } = request;
    const engineFunction = this.#accept({
      format: source.format,
      ...(pdfA && { pdfA }),
      ...(tagged && { tagged }),
    });
    if (request.limitMs < MIN_CALL_MS) throw busy();
    const { reply, hasWaited } = await this.#ask(engineFunction, request);
    switch (reply.outcome) {
      case 'printed': {
        const { pages, sizeBytes, sha256, places } = reply;
        return { pages, sizeBytes, sha256, places };
      }
      case 'too-long':
        throw problems.pdfTooLong({ pages: reply.pages, maxPages: MAX_PAGES });
      case 'starting':
        throw busy();
      case 'late':
        throw hasWaited ? busy() : problems.renderTimeout();
      case 'refused':
        throw problems.renderFailed();
    }
  }

  check(wanted: PdfWish): void {
    this.#accept(wanted);
  }

  /** @throws Problem naming what the engine does not do */
  #accept({ format, pdfA, tagged }: PdfWish): EngineFunction {
    const { engine, engineFunction } = this.#options;
    const abilities = abilitiesOf[engine];
    if (!engineFunction || !abilities.formats.includes(format)) {
      throw problems.pdfNotAvailable({ format: format.toUpperCase() });
    }
    if (pdfA && !abilities.pdfA) {
      throw problems.pdfOptionNotSupported({ option: 'PDF/A', engine });
    }
    if (tagged && !abilities.tagged) {
      throw problems.pdfOptionNotSupported({ option: 'tagged PDF', engine });
    }
    return engineFunction;
  }

  /** A document for which no time was left, because others came first, is not late by itself. */
  async #ask(engineFunction: EngineFunction, request: PdfRequest): Promise<Answer> {
    const { clock, pause } = this.#options;
    const deadline = clock.now() + request.limitMs;
    let hasWaited = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const limitMs = deadline - clock.now();
      try {
        const reply = engineReply.parse(await engineFunction.invoke(callOf(request, limitMs)));
        return { reply, hasWaited };
      } catch (cause) {
        if (cause instanceof EngineLate)
          throw hasWaited ? busy() : problems.renderTimeout({ cause });
        if (!(cause instanceof EngineBusy)) throw problems.renderFailed({ cause });
      }
      if (deadline - clock.now() < pauseMs + MIN_CALL_MS) {
        throw busy();
      }
      hasWaited = true;
      await pause(pauseMs);
    }
  }
}

const busy = (): Error => problems.renderBusy({ retryAfterSeconds: RETRY_AFTER_SECONDS });

function callOf({ source, target, at, ...request }: PdfRequest, limitMs: number): EngineCall {
  const { pdfA = false, tagged = false } = request;
  return {
    source: sentOf(source),
    target,
    at: at.toISOString(),
    pdfA,
    tagged,
    maxPages: MAX_PAGES,
    limitMs,
  };
}

function sentOf({ format, ...source }: PdfSource): EngineCall['source'] {
  if ('path' in source) return { format, path: source.path };
  const { buffer, byteOffset, length } = source.bytes;
  return { format, base64: Buffer.from(buffer, byteOffset, length).toString('base64') };
}
