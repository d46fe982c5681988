import { createHash } from 'node:crypto';
import { type Files, FileTooLargeError } from '../../../shared/files/files.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { TimeUpError } from '../../../shared/primitives/time-limit.ts';
import { type EngineCall, type EngineReply, engineCall } from './engine-call.ts';
import { takePlaces } from './pdf-places.ts';
import { stampPdf } from './stamp-pdf.ts';
import { EngineStarting } from './watching/started-engine.ts';

/** Largest document that is printed. */
const MAX_SOURCE_BYTES = 64 * 1_024 * 1_024;
/** What is left of the caller's time for writing the file and the answer (ms). */
const RESERVE_MS = 500;

/** A document, as an engine gets it. */
export interface PrintJob extends Pick<EngineCall, 'pdfA' | 'tagged' | 'at'> {
  readonly bytes: Uint8Array;
  readonly format: EngineCall['source']['format'];
}

/** What an engine has printed. */
export interface RawPdf {
  readonly pdf: Uint8Array;
  readonly pages: number;
}

/** An engine in its own function. */
export interface PrintingEngine {
  /** @throws DocumentRefusedError; TimeUpError at the deadline, EngineStarting where none was ready by then; any other error: the engine failed */
  print(job: PrintJob, deadline: number): Promise<RawPdf>;
}

/** The document cannot be printed. */
export class DocumentRefusedError extends Error {
  override readonly name = 'DocumentRefusedError';
}

export interface EngineFunctionOptions {
  readonly files: Pick<Files, 'read' | 'write'>;
  readonly engine: PrintingEngine;
  readonly log: Log;
  readonly now?: () => number;
}

/** The handler of an engine's function: reads a document, prints it, writes the PDF. */
export function createEngineHandler(
  options: EngineFunctionOptions,
): (event: unknown) => Promise<EngineReply> {
  const { log, now = Date.now } = options;
  return async (event) => {
    const begin = now();
    const call = engineCall.parse(event);
    try {
      const reply = await print(call, begin + call.limitMs - RESERVE_MS, options);
      const pages = 'pages' in reply ? reply.pages : undefined;
      log.info('Document printed', { outcome: reply.outcome, pages, ms: now() - begin });
      return reply;
    } catch (cause) {
      const outcome = outcomeOf(cause);
      log.warn('Rendering failed', { outcome, cause, ms: now() - begin });
      if (outcome === undefined) throw cause;
      return { outcome };
    }
  };
}

async function print(
  call: EngineCall,
  deadline: number,
  { files, engine }: EngineFunctionOptions,
): Promise<EngineReply> {
  const { source, target, at, pdfA, tagged, maxPages } = call;
  const job = { bytes: await bytesOf(source, files), format: source.format, at, pdfA, tagged };
  const { pdf, pages } = await engine.print(job, deadline);
  if (pages > maxPages) return { outcome: 'too-long', pages };
  const taken = await takePlaces(pdf);
  const body = stampPdf(taken.pdf, new Date(at));
  const written = files.write(target, body, 'application/pdf');
  const sha256 = createHash('sha256').update(body).digest('hex');
  await written;
  return { outcome: 'printed', pages, sizeBytes: body.length, sha256, places: [...taken.places] };
}

async function bytesOf(
  source: EngineCall['source'],
  files: Pick<Files, 'read'>,
): Promise<Uint8Array> {
  if ('base64' in source) return Buffer.from(source.base64, 'base64');
  const stored = await files.read(source.path, MAX_SOURCE_BYTES);
  if (!stored) throw new DocumentRefusedError('There is no document');
  return stored.body;
}

function outcomeOf(cause: unknown): 'refused' | 'late' | 'starting' | undefined {
  if (cause instanceof EngineStarting) return 'starting';
  if (cause instanceof TimeUpError) return 'late';
  if (cause instanceof DocumentRefusedError || cause instanceof FileTooLargeError) return 'refused';
  return undefined;
}
