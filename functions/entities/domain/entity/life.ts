import type { FieldDefinition } from './field.ts';

/** What changes in the values of records between a generation and the one before it. */
export interface ConversionStep {
  readonly generation: number;
  /** Values that go on under another code. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Values of fields that are required from now on. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Fields whose values are read as another type. */
  readonly retyped: readonly Pick<FieldDefinition, 'code' | 'fieldType' | 'dataType'>[];
  /** Fields that are stored encrypted from now on. */
  readonly sealed: readonly string[];
  /** Fields that are stored in the clear from now on. */
  readonly opened: readonly string[];
}

/** Counters of a field. Those that begin anew have another name. */
export interface FieldCounter {
  readonly name: string;
  /** Generation since which records are in them. */
  readonly since: number;
}

/** A field that a form has no more: records keep its values, so it comes back as what it was. */
export type GoneField = Pick<
  FieldDefinition,
  'code' | 'fieldType' | 'elementType' | 'dataType' | 'encrypted' | 'numberFormat' | 'formerCodes'
> &
  Partial<Pick<FieldDefinition, 'writeOnly'>>;

/** A job that brings the records of an entity to a generation. */
export interface PendingBuild {
  readonly job: string;
  readonly generation: number;
}

/**
 * How stored records follow their definition. Each change of what they carry is a generation. A record names the one
 * it was last written by, and has exactly the rows, claims and counts of that one.
 */
export interface EntityLife {
  readonly generation: number;
  /** The generation that every record has reached. */
  readonly filled: number;
  /** Generation since which records have a place in the tree. */
  readonly treeSince?: number;
  /** Where the records of each value of a field are counted. */
  readonly counters: Readonly<Record<string, FieldCounter>>;
  /**
   * Since when all records are counted. While they are counted again, both totals are kept; the past one stays for
   * environments that read it for some seconds more.
   */
  readonly totals: { readonly since: number; readonly next?: number; readonly past?: number };
  /** Generation since which records whose ids do not tell when they were made are listed; absent: they are not. */
  readonly untimedSince?: number;
  /** Conversions that some records have not seen yet, in their order. */
  readonly steps: readonly ConversionStep[];
  /** Fields that are gone, latest last. Absent: none since an earlier version of the module. */
  readonly gone?: readonly GoneField[];
  /** Whether records may have members that were no fields. Absent: by the form of now alone. */
  readonly wasOpen?: true;
  /** Formats that numbered fields had before, by the codes that they had: no number comes again. Absent: none. */
  readonly numberFormats?: Readonly<Record<string, readonly string[]>>;
  /** Jobs that run one after the other. */
  readonly builds: readonly PendingBuild[];
}
