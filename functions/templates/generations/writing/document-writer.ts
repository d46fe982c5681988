import type { Files } from '../../../../shared/files/files.ts';
import type { PdfPlace, PdfRequest } from '../../../../shared/ports/pdf.ts';
import type { GenerationWarning, OutputFormat } from '../../domain/documents/generation.ts';
import type { TemplateType } from '../../domain/documents/template.ts';
import type { FileVersion } from '../../domain/documents/template-file.ts';
import type { MergeField } from '../../domain/fields/field.ts';
import type { FormatSettings } from '../../domain/formats/locale-defaults.ts';
import type { ImageOf } from '../../domain/markers/marker-values.ts';
import type { ResolvedValues } from '../../domain/sources/resolve-values.ts';
import type { TemplatePackages } from './template-packages.ts';

/** What a document is made of. */
export interface DocumentSource {
  /** What a reader calls it. */
  readonly title: string;
  readonly type: TemplateType;
  readonly file: FileVersion;
  readonly fields: readonly MergeField[];
  readonly values: ResolvedValues;
  readonly settings: FormatSettings;
  /** Reads images with the rights of whom the document is for. */
  readonly imageOf: ImageOf;
  /** Names of fields without a value stand in the document, as in a preview. */
  readonly showsMissing: boolean;
  /** The one reading of the clock (epoch ms). */
  readonly nowMs: number;
  /** How a PDF is printed. */
  readonly pdf?: PdfOptions | undefined;
}

/** What PDFs may be besides. */
export type PdfOptions = Pick<PdfRequest, 'pdfA' | 'tagged'>;

/** A document that was written. */
export interface WrittenDocument {
  readonly contentType: string;
  readonly sizeBytes: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  readonly warnings: readonly GenerationWarning[];
  /** Texts that an editor must not change; none in formats that are not edited. */
  readonly lockedValues: readonly unknown[];
  /** Places that a PDF keeps free, such as for signatures. */
  readonly places?: readonly PdfPlace[];
}

/** Writes documents of one format. */
export interface DocumentWriter {
  /** @throws Problem when the document cannot be made */
  write(path: string, source: DocumentSource): Promise<WrittenDocument>;
}

/** What writers write with. */
export interface WriterDependencies {
  readonly files: Pick<Files, 'write'>;
  readonly packages: TemplatePackages;
}

/** The formats that there are. */
export type DocumentWriters = Readonly<Partial<Record<OutputFormat, DocumentWriter>>>;
