import { writeDocx } from '../../../../shared/docx/index.ts';
import type { Files } from '../../../../shared/files/files.ts';
import type { PdfConverter } from '../../../../shared/ports/pdf.ts';
import type { Clock } from '../../../../shared/primitives/clock.ts';
import { requestContext } from '../../../../shared/primitives/request-context.ts';
import { printedPath } from '../../domain/documents/generation.ts';
import { DOCX_TYPE } from '../../domain/documents/template-file.ts';
import type { DocumentSource, DocumentWriter, WrittenDocument } from './document-writer.ts';
import { fillTemplate } from './fill-template.ts';

/** Longest time for printing, waiting for a free engine included (ms). */
const MAX_PRINTING_MS = 25_000;
/** What a request still needs afterwards (ms). */
const RESERVE_MS = 1_500;

interface PdfWriterDependencies {
  readonly files: Pick<Files, 'read' | 'write' | 'delete'>;
  readonly converter: PdfConverter;
  /** The clock of the machine. */
  readonly clock: Clock;
}

/** Writes PDFs: the Word file is printed by an engine and does not stay. */
export class PdfWriter implements DocumentWriter {
  readonly #deps: PdfWriterDependencies;

  constructor(dependencies: PdfWriterDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem `PDF_NOT_AVAILABLE`, `PDF_TOO_LONG` (422), `RENDER_FAILED` (502), `RENDER_BUSY` (503), `RENDER_TIMEOUT` (504) */
  async write(path: string, source: DocumentSource): Promise<WrittenDocument> {
    const { files, converter } = this.#deps;
    const { pkg, warnings, lockedValues } = await fillTemplate(files, source, 'PDF');
    const printed = printedPath(path);
    await files.write(printed, await writeDocx(pkg), DOCX_TYPE);
    try {
      const { sizeBytes, sha256, places } = await converter.convert({
        source: { path: printed, format: 'docx' },
        target: path,
        at: new Date(source.nowMs),
        limitMs: this.#limitMs(),
      });
      const facts = { contentType: 'application/pdf', sizeBytes, hash: sha256 };
      return { ...facts, warnings, lockedValues, places };
    } finally {
      await files.delete(printed);
    }
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
