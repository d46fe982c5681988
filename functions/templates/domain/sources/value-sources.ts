import type { MergeField } from '../fields/field.ts';
import type { FormatSettings } from '../formats/locale-defaults.ts';
import type { BuiltinFacts } from './builtin-values.ts';
import type { EntityFacts } from './entity-values.ts';
import type { SystemFacts } from './system-values.ts';

export interface ValueSources extends EntityFacts {
  readonly fields: readonly MergeField[];
  readonly system: SystemFacts;
  /** Names of settings that templates may read besides those under `template.` */
  readonly allowedSettings: readonly string[];
  readonly builtins: BuiltinFacts;
  readonly settings: FormatSettings;
}

/** The value of one marker, without its format. */
export interface ResolvedValue {
  readonly value: unknown;
  /** The declaration; markers without one have no type, and are text. */
  readonly field: MergeField | undefined;
  /** Whether the field is declared and has a value. */
  readonly isBound: boolean;
}

/** A row that is repeated: the list it is repeated for, and its element. */
export interface RowContext {
  readonly list: string;
  readonly element: unknown;
  /** 1 for the first one; `items._number` shows it. */
  readonly number?: number;
}
