import type { MarkerKind } from './markers/text-markers.ts';
import type { MarkerLocation } from './scan/part-model.ts';

export interface MarkerOccurrence {
  /** As it is spelled here. */
  readonly name: string;
  readonly part: string;
  readonly location: MarkerLocation;
  /** The paragraph of the part, from 1. */
  readonly paragraph: number;
  readonly kind: MarkerKind;
  readonly raw: string;
  readonly switches: string | null;
  /** How many runs it is spread over. */
  readonly splitRuns: number;
  /** In the instruction of another field of Word. */
  readonly nested: boolean;
  /** Whether it is, or becomes by normalisation, a control of its own. */
  readonly wrapped: boolean;
}

export interface InspectedField {
  /** The spelling that comes first. */
  readonly name: string;
  readonly kinds: readonly MarkerKind[];
  readonly occurrences: readonly MarkerOccurrence[];
}

/** An end of a repeated or conditional part, `{{#items}}`, `{{^items}}` or `{{/items}}`, by the name of its list. */
export interface SectionMarker extends MarkerOccurrence {
  readonly open: boolean;
}

export interface InvalidMarker extends MarkerOccurrence {
  readonly code: 'INVALID_NAME';
}

export type MarkerWarningCode =
  | 'UNCLOSED_MARKER'
  | 'UNCLOSED_FIELD'
  | 'FIELD_CASE_VARIANT'
  | 'FIELD_SPANS_PARAGRAPHS'
  | 'DATA_BOUND_CONTROL';

export interface DocxWarning<Code extends string = MarkerWarningCode> {
  readonly code: Code;
  readonly part: string;
  readonly paragraph?: number;
  readonly field?: string;
}

export interface DocxInspection {
  readonly summary: {
    readonly occurrences: number;
    readonly distinct: number;
    readonly byKind: Readonly<Record<MarkerKind, number>>;
  };
  readonly fields: readonly InspectedField[];
  readonly sections: readonly SectionMarker[];
  readonly invalid: readonly InvalidMarker[];
  readonly warnings: readonly DocxWarning[];
}
