import type { PartedFile } from '../../../shared/files/files.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { DocumentRequest } from '../generations/preparation.ts';
import type { TemplateJob } from '../jobs/template-jobs.ts';

/** What the documents of a batch become: an archive, or one PDF with all their pages. */
export const BATCH_FILES = ['ZIP', 'PDF'] as const;

export type BatchFileFormat = (typeof BATCH_FILES)[number];

/** What one document of a batch is made of, besides what all have. */
export type BatchRecord = Pick<DocumentRequest, 'entityId' | 'entityData'>;

/** What is wanted of many records. */
export interface BatchRequest extends Omit<DocumentRequest, 'entityId' | 'entityData'> {
  readonly file: BatchFileFormat;
  readonly records: readonly BatchRecord[];
}

/** What is kept with a job `BATCH`; the records lie in a file. */
export interface BatchInput
  extends Pick<BatchRequest, 'file' | 'outputFormat' | 'entityType' | 'fileVersion'> {
  readonly total: number;
  readonly templateCode: string;
  /** Whose rights decide which values the documents show. */
  readonly principal: Principal;
}

/** How far a batch is. */
export interface BatchProgress {
  /** The first record whose document is still to be generated. */
  readonly next: number;
  /** Documents that could not be generated. */
  readonly failed: number;
  /** How often the next record has met an error that may pass. */
  readonly tries: number;
  /** The archive that is being written. */
  readonly archive?: PartedFile;
  /** Whether all its parts are. */
  readonly isWritten?: boolean;
}

export const inputOf = ({ input }: Pick<TemplateJob, 'input'>): BatchInput =>
  input as unknown as BatchInput;

export const progressOf = ({ progress }: Pick<TemplateJob, 'progress'>): BatchProgress => ({
  ...{ next: 0, failed: 0, tries: 0 },
  ...(progress as Partial<BatchProgress>),
});

/** Where the file of a batch lies, for a week. */
export const batchPath = ({ id, subject, input }: Pick<TemplateJob, 'id' | 'subject' | 'input'>) =>
  `documents/batches/${subject}/${id}.${inputOf({ input }).file.toLowerCase()}`;
