/** What a generation may warn of. The list only grows: callers compare the codes. */
export const WARNING_CODES = [
  'COMPUTED_ERROR',
  'CONTROL_CHARACTERS_REMOVED',
  'DATA_BOUND_CONTROL',
  'DOCUMENT_TOO_LARGE_TO_NORMALISE',
  'ENTITY_DATA_OVERRIDE_IGNORED',
  'ENTITY_NOT_FOUND',
  'EXTERNAL_RESOURCE_REMOVED',
  'FIELD_CASE_VARIANT',
  'FIELD_NOT_BOUND',
  'FIELD_NOT_IN_FILE',
  'FIELD_VALUE_MISSING',
  'FONT_SUBSTITUTED',
  'FORMAT_FAILED',
  'IDEMPOTENT_PAYLOAD_MISMATCH',
  'INVALID_MARKER',
  'LINK_TARGET_REJECTED',
  'LOCKED_FIELD_MISSING',
  'LOCKED_FIELD_MODIFIED',
  'NESTED_FIELD_NOT_EVALUATED',
  'REQUIRED_FIELD_MISSING',
  'SIGNATURE_REMOVED',
  'SWITCH_IGNORED',
  'UNCLOSED_MARKER',
  'UNSUPPORTED_CONTENT',
  'VALUE_TRUNCATED',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export interface Warning {
  readonly code: WarningCode;
  readonly field?: string;
  readonly part?: string;
  readonly message: string;
}

/** Most warnings that are kept with their details; the codes are complete. */
const MAX_DETAILS = 500;

/** Collects the warnings of one generation; the same warning counts once. */
export class Warnings {
  readonly #details = new Map<string, Warning>();
  readonly #codes = new Set<WarningCode>();

  add(warning: Warning): void {
    const { code, field = '', part = '' } = warning;
    this.#codes.add(code);
    const key = `${code}\n${field}\n${part}`;
    if (this.#details.size < MAX_DETAILS && !this.#details.has(key))
      this.#details.set(key, warning);
  }

  /** Sorted, each once. */
  get codes(): readonly WarningCode[] {
    return [...this.#codes].sort();
  }

  /** Sorted by code, then in the order in which they came up. */
  get details(): readonly Warning[] {
    return [...this.#details.values()].sort((one, other) =>
      one.code < other.code ? -1 : Number(one.code > other.code),
    );
  }
}
