import type { Page } from '../http/paging.ts';
import type { Principal } from '../security/principal.ts';
import type { UnitOfWork } from '../store/unit-of-work.ts';
import type { ExpectedFile, WrittenFile } from './documents.ts';

/** What is said of a template. */
export interface TemplateDetails {
  readonly name: string;
  readonly type: 'TYPE_1' | 'TYPE_2' | 'TYPE_3';
  readonly entityType?: string | undefined;
  readonly description?: string | undefined;
  /** How document numbers look, such as `{seq:0000}/{yyyy}/{code}`. */
  readonly numberPattern?: string | undefined;
}

/** The file of a template. */
export interface TemplateFileFacts {
  readonly fileVersion: number;
  readonly fileName: string;
  readonly fileSize: number;
  /** SHA-256 in hexadecimal. */
  readonly fileHash: string;
}

/** A template. */
export interface DocumentTemplate extends TemplateDetails {
  readonly id: string;
  readonly code: string;
  readonly status: 'ACTIVE' | 'DELETED';
  readonly version: number;
  /** Absent until one is uploaded. */
  readonly file?: TemplateFileFacts | undefined;
}

/** A list of templates, as the query of its GET. */
export interface TemplateQuery {
  readonly page?: number;
  readonly size?: number;
  readonly code?: string;
  readonly type?: TemplateDetails['type'];
  /** Default: `ACTIVE`. */
  readonly status?: DocumentTemplate['status'];
  readonly q?: string;
  readonly sort?: string;
}

/** Templates of the caller's tenant, by the rules of their endpoints; permissions are for the caller of this to ask. */
export interface TemplateService {
  listTemplates(query: TemplateQuery, principal: Principal): Promise<Page<DocumentTemplate>>;
  /** @throws Problem `TEMPLATE_CODE_EXISTS` (409) */
  createTemplate(
    template: TemplateDetails & { readonly code: string },
    principal: Principal,
  ): Promise<DocumentTemplate>;
  /** @throws Problem `TEMPLATE_NOT_FOUND` (404), `TEMPLATE_DELETED` (409), `VERSION_CONFLICT` (412) */
  updateTemplate(
    id: string,
    details: TemplateDetails,
    principal: Principal,
    seen?: { readonly version?: number },
  ): Promise<DocumentTemplate>;
  /** @throws Problem `TEMPLATE_NOT_FOUND` (404), `VERSION_CONFLICT` (412) */
  deleteTemplate(
    id: string,
    principal: Principal,
    seen?: { readonly version?: number },
  ): Promise<void>;
  /** @throws Problem as `PUT …/file` */
  uploadTemplateFile(
    id: string,
    file: { readonly fileName: string; readonly bytes: Uint8Array },
    principal: Principal,
  ): Promise<TemplateFileFacts>;
}

/** A document that is wanted. */
export interface DocumentOrder {
  readonly outputFormat: 'DOCX' | 'PDF' | 'HTML';
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly entityData?: Readonly<Record<string, unknown>> | undefined;
  readonly fileVersion?: number | undefined;
  /** For archives (PDF/A), and with the structure of its text; for PDFs, where the engine makes them. */
  readonly pdf?: { readonly pdfA?: boolean; readonly tagged?: boolean } | undefined;
  /** One generation for each key and template. */
  readonly idempotencyKey?: string | undefined;
}

/** A generation, as its GET answers it. */
export interface GeneratedDocument {
  readonly generationId: string;
  readonly status: string;
  readonly editStatus: string;
  readonly format: DocumentOrder['outputFormat'];
  readonly fileName: string;
  /** Works for some time; `null` without a file. */
  readonly fileUrl: string | null;
  /** DOCX only. */
  readonly docsEditUrl?: string | undefined;
  readonly outputHash: string | null;
  readonly warningCodes: readonly string[];
}

/** A document that is only looked at. */
export interface PreviewedDocument {
  readonly fileUrl: string;
  readonly fileName: string;
  readonly format: DocumentOrder['outputFormat'];
  readonly warningCodes: readonly string[];
}

/** A part of approved content. */
export type ApprovedBlock =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | {
      readonly kind: 'paragraph';
      readonly runs: readonly {
        readonly text: string;
        readonly bold?: boolean | undefined;
        readonly italic?: boolean | undefined;
        readonly underline?: boolean | undefined;
      }[];
      readonly align?: 'left' | 'center' | 'right' | 'justify' | undefined;
    }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | {
      readonly kind: 'table';
      readonly hasHeader: boolean;
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'page-break' };

/** Content that a person has approved. Texts are what they are: nothing in them is a merge field. */
export interface ApprovedContent {
  readonly title: string;
  readonly blocks: readonly ApprovedBlock[];
  readonly outputFormat: 'DOCX' | 'PDF';
  readonly approvedBy: string;
  /** ISO 8601, UTC. */
  readonly approvedAt: string;
  /** `approvalHashOf` of title and blocks, taken when they were approved. */
  readonly approvalHash: string;
}

/** The document of approved content; the same content has the same one. */
export interface RenderedContent {
  readonly status: 'FINALIZED';
  readonly editStatus: 'LOCKED';
  readonly format: ApprovedContent['outputFormat'];
  /** Path of the file. */
  readonly path: string;
  readonly fileName: string;
  /** Works for some time. */
  readonly fileUrl: string;
  /** SHA-256 in hexadecimal. */
  readonly outputHash: string;
  readonly approvalHash: string;
  readonly approvedBy: string;
  readonly approvedAt: string;
}

/**
 * Documents of templates, by the rules of their endpoints and with the values that the caller may see. A generation is
 * stored in units of its own, also when it is called in one.
 */
export interface DocumentGenerationService {
  /** @throws Problem as `POST …/generate` */
  generateDocument(
    templateId: string,
    order: DocumentOrder,
    principal: Principal,
  ): Promise<GeneratedDocument>;
  /** @throws Problem as `POST …/preview` */
  previewDocument(
    templateId: string,
    order: DocumentOrder,
    principal: Principal,
  ): Promise<PreviewedDocument>;
  /** Newest first; without links. @throws Problem `TEMPLATE_NOT_FOUND` (404) */
  getGenerationHistory(
    templateId: string,
    query: {
      readonly page?: number;
      readonly size?: number;
      readonly cursor?: string;
      readonly entityId?: string;
    },
    principal: Principal,
  ): Promise<Page<Omit<GeneratedDocument, 'fileUrl' | 'docsEditUrl'>>>;
  /** @throws Problem `GENERATION_NOT_FOUND` (404), `GENERATION_NOT_READY` (409) */
  finalizeGeneration(
    templateId: string,
    generationId: string,
    principal: Principal,
  ): Promise<GeneratedDocument>;
  /** @throws Problem `GENERATION_NOT_FOUND` (404), `GENERATION_FINALIZED` (409) */
  cancelGeneration(
    templateId: string,
    generationId: string,
    principal: Principal,
  ): Promise<GeneratedDocument>;
  /**
   * Writes content that a person has approved, unchanged, as DOCX or PDF; final from the beginning.
   * @throws Problem `VALIDATION_FAILED` (400), `OUTPUT_FORMAT_NOT_SUPPORTED`, `APPROVAL_HASH_MISMATCH` (422), or why it cannot
   *   be printed
   */
  renderApprovedContent(content: ApprovedContent, principal: Principal): Promise<RenderedContent>;
}

/** A document that an editor has saved. */
export interface EditorSave {
  /** Path of the file that was opened. */
  readonly fileId: string;
  readonly content: Uint8Array | UnreadSave;
  readonly userId: string;
  /** Whether the editing has ended. */
  readonly isTerminal: boolean;
  /** Path of the last save of the same session: that save is not a conflict. */
  readonly lastPath?: string | undefined;
  /** What lay in the place of the file when the save was planned: nothing else is written over. */
  readonly expected?: ExpectedFile | undefined;
  /** Called before anything is written over the file that was opened. */
  begin?(content: Pick<StoredSave, 'sizeBytes' | 'hash' | 'warningCodes'>): Promise<void>;
  /** Path of the old version that it restores. */
  readonly restoredFrom?: string | undefined;
}

/** The content of a save that is too large for the memory. */
export interface UnreadSave {
  readonly sizeBytes: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  /** Whether a call that has ended has written it: `save` has made it of what was sent, and it lies there. */
  readonly isStored?: boolean | undefined;
  /** Writes it over the file that was opened; again: nothing. */
  write(): Promise<WrittenFile>;
}

/** What became of it. */
export interface StoredSave {
  /** Present path of the document: each version of a template has a path of its own. */
  readonly path: string;
  readonly sizeBytes: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  readonly warningCodes: readonly string[];
  /** Of what was written over the file that was opened. */
  readonly written?: WrittenFile | undefined;
}

/** What the editor has to know of a file of a template before it is opened. */
export interface EditedDocument {
  /** The template, or the one that it was generated from; absent: approved content, which has none. */
  readonly templateId?: string | undefined;
  /** Tenant of the file; empty: none. Other tenants do not see it. Absent: not known, only its path leads to it. */
  readonly tenant?: string | undefined;
  /** Whether it is finalized, approved, cancelled or deleted: it can be looked at only. */
  readonly isClosed: boolean;
  /** Whether a save is stored as it was sent where it is too large to be read: there is nothing to put back in it. */
  readonly takesUnread: boolean;
  /** Path of its newest file, if there is one; all other files are old versions, which are read-only. */
  readonly newestFile: string | undefined;
  /** What all its files have in common, and no other document has. */
  readonly history: string;
}

/** A document that is cancelled or deleted: nothing may be left of what it was before. */
export interface EndedDocument {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** What all its files had in common: `EditedDocument.history`. */
  readonly document: string;
}

/** What the editor has to know of files that are templates, or were generated from them. */
export interface EditedDocuments {
  /** @returns `undefined` for a file that is none of a template */
  find(fileId: string): Promise<EditedDocument | undefined>;
  /**
   * Stores an edited document and stages what changes with it: a template gets a next version with its merge fields
   * normalised, a generation has its locked values restored, and its hash and edit status follow.
   * @returns `'conflict'` for a document that is finalized, cancelled or deleted, for an old file of a template, or where
   *   nothing unread is taken: nothing is written over it then, and the save becomes a copy; `undefined` for a file that is none of a template
   */
  save(unit: UnitOfWork, save: EditorSave): Promise<StoredSave | 'conflict' | undefined>;
  /** Documents that have ended a minute ago or before and are not settled, oldest first: nothing is saved of them any more. */
  ended(most: number): Promise<readonly EndedDocument[]>;
  /** Says that nothing is left of one. */
  settle(ended: EndedDocument): Promise<void>;
  /** Says that something is left of one: it comes behind all others. */
  postpone(ended: EndedDocument): Promise<void>;
}

/** The public half of a key that signs tokens of readers. */
export interface ReaderKey {
  /** Thumbprint of the key (RFC 7638), as `kid` of the tokens. */
  readonly id: string;
  /** Public Ed25519 key: `x` of its JWK. */
  readonly x: string;
}

/** Who may read merge fields besides users: what an editor's plugin is handed signs for a template and a user. */
export interface FieldReaders {
  /**
   * Lets tokens of a key read merge fields: of the template in their claim `tid`, and the builtin ones.
   * @param untilS end of this trust (epoch seconds)
   */
  trust(key: ReaderKey, untilS: number): Promise<void>;
}
