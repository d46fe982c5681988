import { createHash, randomUUID } from 'node:crypto';
import { type DocxPackage, writeDocx } from '../../../shared/docx/index.ts';
import type { Files } from '../../../shared/files/files.ts';
import { hashFile } from '../../../shared/files/hash-file.ts';
import type { ApprovedContent, RenderedContent } from '../../../shared/ports/templates.ts';
import { toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { DOCX_TYPE } from '../domain/documents/template-file.ts';
import { problems } from '../errors.ts';
import {
  PDF_TYPE,
  type PdfPrinter,
  type PrintSettings,
} from '../generations/writing/pdf-printer.ts';
import { storeDocument } from '../generations/writing/store-document.ts';
import { tooComplex } from '../generations/writing/too-complex.ts';
import { approvalHashOf } from './approved-content.ts';
import { writeApprovedDocx } from './write-approved-docx.ts';

interface ApprovedDocumentsDependencies {
  readonly files: Pick<Files, 'read' | 'open' | 'write' | 'delete' | 'downloadLink'>;
  readonly printer: Pick<PdfPrinter, 'print'>;
  readonly linkSeconds: number;
}

/** Approved content does not say which language it is in. */
const LANGUAGE = 'und';
const MAX_PDF_BYTES = 64 * 1_024 * 1_024;

/** Content of the right form, in a format that may not exist. */
export interface CheckedContent extends Omit<ApprovedContent, 'outputFormat'> {
  readonly outputFormat: string;
}

/** Documents of content that a person has approved: no template, no merge fields. */
export class ApprovedDocuments {
  readonly #deps: ApprovedDocumentsDependencies;

  constructor(dependencies: ApprovedDocumentsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Writes what was approved, as it was approved. Its place follows from it, so that another call writes nothing else.
   * @throws Problem `OUTPUT_FORMAT_NOT_SUPPORTED`, `APPROVAL_HASH_MISMATCH`, `DOCX_TOO_COMPLEX` (422), or as `PdfPrinter.print`
   */
  async render(
    { outputFormat, approvalHash, ...content }: CheckedContent,
    { tenant = '' }: Pick<Principal, 'tenant'>,
  ): Promise<RenderedContent> {
    if (outputFormat !== 'DOCX' && outputFormat !== 'PDF') {
      throw problems.outputFormatNotSupported({ format: outputFormat });
    }
    if (approvalHash !== approvalHashOf(content)) throw problems.approvalHashMismatch();
    const { title, approvedBy, approvedAt } = content;
    const extension = outputFormat.toLowerCase();
    const id = hashOf([tenant, approvedBy, approvedAt, approvalHash]);
    const path = `documents/approved/${id}.${extension}`;
    const contentType = outputFormat === 'DOCX' ? DOCX_TYPE : PDF_TYPE;
    // What was handed out stays: another engine, or other fonts, would make another file.
    const { hash: outputHash } =
      (await hashFile(this.#deps.files, path)) ?? (await this.#write(path, outputFormat, content));
    const fileName = `${title}.${extension}`;
    const { files, linkSeconds: expiresInSeconds } = this.#deps;
    const link = { fileName, contentType, expiresInSeconds };
    return {
      ...{ path, fileName, format: outputFormat, outputHash, approvalHash },
      ...{ status: 'FINALIZED', editStatus: 'LOCKED', approvedBy },
      approvedAt: toInstant(Date.parse(approvedAt)),
      fileUrl: await files.downloadLink(path, link),
    };
  }

  async #write(
    path: string,
    format: 'DOCX' | 'PDF',
    content: Parameters<typeof writeApprovedDocx>[0],
  ): ReturnType<typeof storeDocument> {
    const pkg = await writeApprovedDocx(content).catch(tooComplex);
    if (format === 'DOCX') return storeDocument(this.#deps.files, path, writeDocx(pkg), DOCX_TYPE);
    const { title, approvedAt } = content;
    return this.#print(path, pkg, { title, language: LANGUAGE, nowMs: Date.parse(approvedAt) });
  }

  /** Prints in a place of its own, where engines may write: two calls for the same content are not in each other's way. */
  async #print(
    path: string,
    ...[pkg, settings]: [DocxPackage, PrintSettings]
  ): ReturnType<typeof storeDocument> {
    const { files, printer } = this.#deps;
    const place = `documents/previews/approved/${randomUUID()}.pdf`;
    await printer.print(place, pkg, settings);
    const printed = await files.read(place, MAX_PDF_BYTES);
    if (!printed) throw new Error(`The engine has written no ${place}`);
    const stored = await storeDocument(files, path, printed.body, PDF_TYPE);
    await files.delete(place);
    return stored;
  }
}

const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
