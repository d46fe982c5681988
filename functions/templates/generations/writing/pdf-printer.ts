import { randomUUID } from 'node:crypto';
import { writeHtml } from '../../../../shared/docx/html/write-html.ts';
import { type DocxPackage, writeDocx } from '../../../../shared/docx/index.ts';
import type { Files } from '../../../../shared/files/files.ts';
import type { PdfConverter, PdfSource, PdfSourceFormat } from '../../../../shared/ports/pdf.ts';
import type { Clock } from '../../../../shared/primitives/clock.ts';
import { requestContext } from '../../../../shared/primitives/request-context.ts';
import {
  exchangePath,
  type GenerationWarning,
  printedPath,
} from '../../domain/documents/generation.ts';
import { DOCX_TYPE } from '../../domain/documents/template-file.ts';
import { MAX_CALL_BYTES } from '../../pdf/engine-call.ts';
import type { PdfOptions, WrittenDocument } from './document-writer.ts';
import { HTML_TYPE, leftOut } from './html-writer.ts';
import { withKeptFields } from './kept-fields.ts';

/** Longest time for printing, waiting for a free engine included (ms). */
const MAX_PRINTING_MS = 25_000;
/** Largest PDF that a storage of a host gets. */
const MAX_PDF_BYTES = 256 * 1_024 * 1_024;
export const PDF_TYPE = 'application/pdf';
/** What a request still needs afterwards (ms). */
const RESERVE_MS = 1_500;

export interface PdfPrinterDependencies {
  readonly files: Pick<Files, 'read' | 'write' | 'delete'>;
  /** The bucket of the stack, where engines write, and read what is large; the files themselves, unless the host stores them. */
  readonly exchange: Pick<Files, 'read' | 'write' | 'delete'>;
  readonly converter: PdfConverter;
  /** What the engine prints. */
  readonly format: PdfSourceFormat;
  /** The clock of the machine. */
  readonly clock: Clock;
}

/** How a document is printed. */
export interface PrintSettings extends PdfOptions {
  readonly title: string;
  /** BCP 47 tag of the language. */
  readonly language: string;
  /** The time that the PDF says it was made at (epoch ms). */
  readonly nowMs: number;
}

interface Printed {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

interface Source extends Printed {
  readonly warnings: readonly GenerationWarning[];
}

/** Prints filled Word documents: as they are, or as a page, whichever the engine takes. What is printed does not stay. */
export class PdfPrinter {
  readonly #deps: PdfPrinterDependencies;

  constructor(dependencies: PdfPrinterDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `PDF_NOT_AVAILABLE`, `PDF_OPTION_NOT_SUPPORTED` (422), before there is anything to print */
  check({ pdfA = false, tagged = false }: PdfOptions): void {
    const { converter, format } = this.#deps;
    converter.check({ format, pdfA, tagged });
  }

  /**
   * @throws Problem as `check`; `PDF_TOO_LONG` (422), `RENDER_FAILED` (502),
   *   `RENDER_BUSY` (503), `RENDER_TIMEOUT` (504)
   */
  async print(
    path: string,
    pkg: DocxPackage,
    settings: PrintSettings,
  ): Promise<Omit<WrittenDocument, 'lockedValues'>> {
    const { files, exchange, converter, format } = this.#deps;
    const { pdfA = false, tagged = false, nowMs } = settings;
    this.check(settings);
    const { warnings, ...printed } = sourceOf(pkg, format, settings);
    // Files of a function that has died are not known; they expire.
    const target = exchange === files ? path : exchangePath(randomUUID());
    const source = await this.#hand(printedPath(target), printed);
    try {
      const { sizeBytes, sha256, places } = await converter.convert({
        ...{ source, target, at: new Date(nowMs), pdfA, tagged },
        limitMs: this.#limitMs(),
      });
      if (exchange !== files) await this.#take(target, path);
      return { contentType: PDF_TYPE, sizeBytes, hash: sha256, places, warnings };
    } finally {
      if ('path' in source) await exchange.delete(source.path);
      if (exchange !== files) await exchange.delete(target);
    }
  }

  /** What the engine is given: the document itself, or the place in the bucket of one that is too large for a call. */
  async #hand(path: string, { bytes, contentType }: Printed): Promise<PdfSource> {
    const { exchange, format } = this.#deps;
    if (bytes.length <= MAX_CALL_BYTES) return { format, bytes };
    await exchange.write(path, bytes, contentType);
    return { format, path };
  }

  /** Brings what was printed to the storage of the host. */
  async #take(target: string, path: string): Promise<void> {
    const { files, exchange } = this.#deps;
    const printed = await exchange.read(target, MAX_PDF_BYTES);
    if (!printed) throw new Error(`The engine has written no ${target}`);
    await files.write(path, printed.body, PDF_TYPE);
  }

  #limitMs(): number {
    const { deadline, answerBy } = requestContext();
    const endsAt = Math.min(
      deadline ?? Number.POSITIVE_INFINITY,
      answerBy ?? Number.POSITIVE_INFINITY,
    );
    return Math.min(MAX_PRINTING_MS, Math.max(1, endsAt - this.#deps.clock.now() - RESERVE_MS));
  }
}

function sourceOf(pkg: DocxPackage, format: PdfSourceFormat, settings: PrintSettings): Source {
  if (format === 'docx') {
    return { bytes: writeDocx(withKeptFields(pkg)), contentType: DOCX_TYPE, warnings: [] };
  }
  const { html, warnings } = writeHtml(pkg, settings);
  return { bytes: Buffer.from(html), contentType: HTML_TYPE, warnings: warnings.map(leftOut) };
}
