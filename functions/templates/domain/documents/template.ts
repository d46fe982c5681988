import type { CurrentFile } from './template-file.ts';

/** Which merge fields of an output are locked: those that say so, all that are bound, or none. */
export const TEMPLATE_TYPES = ['TYPE_1', 'TYPE_2', 'TYPE_3'] as const;

export type TemplateType = (typeof TEMPLATE_TYPES)[number];

/** `DELETED`: the record remains, and its code stays reserved. */
export const TEMPLATE_STATUSES = ['ACTIVE', 'DELETED'] as const;

export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** What a client says of a template. */
export interface TemplateFacts {
  readonly name: string;
  readonly type: TemplateType;
  /** Entity whose records fill the documents, when a request names none. */
  readonly entityType?: string | undefined;
  readonly description?: string | undefined;
  /** How document numbers look, such as `{seq:0000}/{yyyy}/{code}`. */
  readonly numberPattern?: string | undefined;
}

/** What all files of a template have in common. */
export const historyOfTemplate = (id: string): string => `templates/${id}`;

/** A template, without its merge fields. */
export interface Template extends TemplateFacts {
  readonly id: string;
  /** Tenant of the caller who made it; empty: of none. */
  readonly tenant: string;
  /** Unique in its tenant, deleted templates included. */
  readonly code: string;
  readonly status: TemplateStatus;
  /** Absent until one is uploaded. */
  readonly file?: CurrentFile | undefined;
  readonly version: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}
