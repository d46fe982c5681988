/** A call with an `Idempotency-Key`: where its answer is kept, and what query and body say. */
export interface KeptCall {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly requestHash: string;
}
