import type { DataType } from '../formats/data-type.ts';

/** Where values come from. A field with the source `API` is refused. */
export const SOURCE_TYPES = ['ENTITY', 'SYSTEM', 'COMPUTED', 'BUILTIN'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** A declared merge field of a template. */
export interface MergeField {
  readonly name: string;
  readonly label?: string | null;
  readonly sourceType: SourceType;
  /**
   * ENTITY: dotted path, by default the name. SYSTEM: `setting:<name>`, `user.<x>`, `tenant.<x>` or `app.<x>`.
   * BUILTIN: a code of the catalogue. COMPUTED: none.
   */
  readonly sourceRef?: string | null;
  readonly expression?: string | null;
  readonly dataType: DataType;
  readonly format?: string | null;
  readonly required?: boolean;
  readonly defaultValue?: unknown;
  readonly lockedInOutput?: boolean;
}

/** Names are looked up without regard to case, by the same rule in every locale. */
export const fieldKey = (name: string): string => name.normalize('NFC').toLowerCase();
