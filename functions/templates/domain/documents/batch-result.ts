/** What became of one record of a batch. */
export interface BatchResult {
  /** Place in the list of records, from 0. */
  readonly index: number;
  readonly entityId?: string | undefined;
  readonly status: 'GENERATED' | 'FAILED';
  /** Absent when the request was refused before. */
  readonly generationId?: string | undefined;
  readonly failure?: { readonly code: string; readonly detail: string } | undefined;
}
