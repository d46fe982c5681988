import { createHash } from 'node:crypto';
import { writeDocx } from '../../../shared/docx/index.ts';
import type { Files } from '../../../shared/files/files.ts';
import { parseWith } from '../../../shared/http/parse.ts';
import type { ApprovedContent, RenderedContent } from '../../../shared/ports/templates.ts';
import { toInstant } from '../../../shared/primitives/clock.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import { DOCX_TYPE } from '../domain/documents/template-file.ts';
import { problems } from '../errors.ts';
import type { PdfPrinter } from '../generations/writing/pdf-printer.ts';
import { storeDocument } from '../generations/writing/store-document.ts';
import { approvalHashOf, approvedContent } from './approved-content.ts';
import { writeApprovedDocx } from './write-approved-docx.ts';

interface ApprovedDocumentsDependencies {
  readonly files: Pick<Files, 'write' | 'downloadLink'>;
  readonly printer: Pick<PdfPrinter, 'print'>;
  readonly linkSeconds: number;
}

/** Approved content does not say which language it is in. */
const LANGUAGE = 'und';

/** Documents of content that a person has approved: no template, no merge fields. */
export class ApprovedDocuments {
  readonly #deps: ApprovedDocumentsDependencies;

  constructor(dependencies: ApprovedDocumentsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Writes what was approved, as it was approved. Its place follows from it, so that another call writes nothing else.
   * @throws Problem `VALIDATION_FAILED` (400), `OUTPUT_FORMAT_NOT_SUPPORTED`, `APPROVAL_HASH_MISMATCH` (422), or as `PdfPrinter.print`
   */
  async render(
    given: ApprovedContent,
    { tenant = '' }: Pick<Principal, 'tenant'>,
  ): Promise<RenderedContent> {
    const { outputFormat, approvalHash, ...content } = parseWith(approvedContent(), given, 'body');
    if (outputFormat !== 'DOCX' && outputFormat !== 'PDF') {
      throw problems.outputFormatNotSupported({ format: outputFormat });
    }
    if (approvalHash !== approvalHashOf(content)) throw problems.approvalHashMismatch();
    const { title, approvedBy, approvedAt } = content;
    const extension = outputFormat.toLowerCase();
    const id = hashOf([tenant, approvedBy, approvedAt, approvalHash]);
    const path = `documents/approved/${id}.${extension}`;
    const pkg = await writeApprovedDocx(content);
    const stored =
      outputFormat === 'DOCX'
        ? await storeDocument(this.#deps.files, path, await writeDocx(pkg), DOCX_TYPE)
        : await this.#deps.printer.print(path, pkg, {
            ...{ title, language: LANGUAGE, nowMs: Date.parse(approvedAt) },
          });
    const fileName = `${title}.${extension}`;
    const { files, linkSeconds: expiresInSeconds } = this.#deps;
    const link = { fileName, contentType: stored.contentType, expiresInSeconds };
    return {
      ...{ path, fileName, format: outputFormat, outputHash: stored.hash, approvalHash },
      ...{ status: 'FINALIZED', editStatus: 'LOCKED', approvedBy },
      approvedAt: toInstant(Date.parse(approvedAt)),
      fileUrl: await files.downloadLink(path, link),
    };
  }
}

const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');
