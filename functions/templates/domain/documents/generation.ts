import type { PdfPlace } from '../../../../shared/ports/pdf.ts';
import { zonedParts } from '../../../../shared/primitives/zones/zoned-parts.ts';
import type { TemplateType } from './template.ts';

export const GENERATION_STATUSES = [
  'PENDING',
  'RENDERING',
  'GENERATED',
  'FAILED',
  'FINALIZED',
  'CANCELLED',
] as const;

export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/**
 * `NOT_EDITABLE`: not DOCX, or no file yet; `EDITABLE`: untouched; `EDITING`: saved in a session that is open; `EDITED`: saved
 * at the end of one; `LOCKED`: finalized or cancelled.
 */
export const EDIT_STATUSES = ['NOT_EDITABLE', 'EDITABLE', 'EDITING', 'EDITED', 'LOCKED'] as const;

export type EditStatus = (typeof EDIT_STATUSES)[number];

export type OutputFormat = 'DOCX' | 'PDF' | 'HTML';

/** The file that was generated. */
export interface Output {
  readonly path: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** SHA-256 of the bytes at `path` in hexadecimal. */
  readonly hash: string;
  /** Where the values that an editor must not change are kept, by field. */
  readonly locksPath?: string;
  /** Places that a PDF keeps free, such as for signatures. */
  readonly places?: readonly PdfPlace[];
}

/** Most places of a PDF that are told of. */
export const MAX_PLACES = 500;

/** A warning of a generation. */
export interface GenerationWarning {
  readonly code: string;
  readonly field?: string;
  readonly part?: string;
  readonly message: string;
}

/** The codes of warnings: sorted, each once. */
export const codesOf = (warnings: readonly { readonly code: string }[]): readonly string[] =>
  [...new Set(warnings.map(({ code }) => code))].sort();

/** Why a generation has failed. */
export interface GenerationFailure {
  readonly code: string;
  readonly detail: string;
}

/** One document that is generated, or was. */
export interface Generation {
  readonly id: string;
  readonly tenant: string;
  readonly templateId: string;
  readonly templateCode: string;
  readonly templateType: TemplateType;
  readonly fileVersion: number;
  readonly status: GenerationStatus;
  readonly editStatus: EditStatus;
  readonly format: OutputFormat;
  readonly fileName: string;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  /** Of the template's counter; taken once. */
  readonly documentNumber?: string | undefined;
  readonly output?: Output | undefined;
  readonly warningCodes: readonly string[];
  readonly warnings: readonly GenerationWarning[];
  readonly failure?: GenerationFailure | undefined;
  /** Counts renderings: one that was interrupted is taken over. */
  readonly attempt: number;
  /** Until when the rendering that is under way, or another writer of its files, may go on (epoch ms of the machine). */
  readonly leaseUntil: number;
  /** The job that renders it: while that one is open, no sweep ends the generation. */
  readonly jobId?: string | undefined;
  /** Files that calls may have left, or may still write: a sweep deletes them once the lease has ended. */
  readonly remains?: readonly string[] | undefined;
  readonly version: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly createdByIssuer?: string | undefined;
  readonly updatedAt: string;
  readonly finalizedAt?: string | undefined;
  readonly finalizedBy?: string | undefined;
  readonly cancelledAt?: string | undefined;
  readonly cancelledBy?: string | undefined;
}

/** How long a rendering may take before it counts as interrupted: longer than the slowest one takes. */
export const LEASE_MS = 45_000;

/** Whether a rendering is waited for. */
export const isOpen = ({ status }: Pick<Generation, 'status'>): boolean =>
  status === 'PENDING' || status === 'RENDERING';

/** Whether there is a file to download. */
export const hasOutput = ({ status }: Pick<Generation, 'status'>): boolean =>
  status === 'GENERATED' || status === 'FINALIZED';

const EXTENSIONS: Readonly<Record<OutputFormat, string>> = {
  DOCX: 'docx',
  PDF: 'pdf',
  HTML: 'html',
};

const folderOf = ({ templateId, id }: Pick<Generation, 'templateId' | 'id'>): string =>
  `documents/generations/${templateId}/${id}`;

/** What all files of a generation have in common. */
export const historyOfGeneration = ({
  templateId,
  id,
}: Pick<Generation, 'templateId' | 'id'>): string => `generations/${templateId}/${id}`;

/** Where a rendering writes: each attempt has a place of its own. */
export const outputPath = (
  generation: Pick<Generation, 'templateId' | 'id' | 'format'>,
  attempt: number,
): string => `${folderOf(generation)}/${attempt}.${EXTENSIONS[generation.format]}`;

/** Path of a Word file or page while a PDF is printed from it. */
export const printedPath = (path: string): string => `${path}.source`;

/**
 * Path of a finalized output, which is never overwritten.
 * @param part sets finalizations apart: of an output that is edited, each copies what it finds
 */
export const finalPath = (
  generation: Pick<Generation, 'templateId' | 'id' | 'format'>,
  part?: string,
): string =>
  [folderOf(generation), ...(part ? [part] : []), `final.${EXTENSIONS[generation.format]}`].join(
    '/',
  );

/** Path of a preview, which expires after a day. */
export const previewPath = ({
  templateId,
  id,
  format,
}: Pick<Generation, 'templateId' | 'id' | 'format'>): string =>
  `documents/previews/${templateId}/${id}.${EXTENSIONS[format]}`;

/** Where a PDF lies, for a day, that is printed for the storage of a host. */
export const exchangePath = (id: string): string => `documents/previews/printed/${id}.pdf`;

/** Where a rendering keeps the values that an editor must not change; no file of documents. */
export const locksPath = (
  { templateId, id }: Pick<Generation, 'templateId' | 'id'>,
  attempt: number,
): string => `templates/locks/${templateId}/${id}/${attempt}.json`;

/** Name of an output: `<code>_<entityId>_<yyyyMMdd-HHmmss>.<extension>`, in the zone of merge fields. */
export function outputName(
  { code, entityId, format }: { code: string; entityId?: string | undefined; format: OutputFormat },
  nowMs: number,
  zone: string,
): string {
  const { year, month, day, hour, minute, second } = zonedParts(nowMs, zone);
  const two = (number: number): string => String(number).padStart(2, '0');
  const date = `${String(year).padStart(4, '0')}${two(month)}${two(day)}`;
  const stamp = `${date}-${two(hour)}${two(minute)}${two(second)}`;
  return `${[code, ...(entityId ? [entityId] : []), stamp].join('_')}.${EXTENSIONS[format]}`;
}
