import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { add, type ImportCounts, NOTHING, toErrors } from '../domain/transfer/import-counts.ts';
import type { RowNotes } from '../store/jobs/import-places.ts';
import type { BulkResult } from './bulk-result.ts';

export interface RowLedgerOptions {
  /** Number of the first row. */
  readonly first: number;
  readonly notes?: RowNotes;
  /** Most errors that are kept. */
  readonly maxErrors?: number;
  /** Whether the rest is left to a later step. */
  readonly isLate?: ((counts: ImportCounts) => boolean) | undefined;
  /** Stores the notes with the unit, so that no row is done twice. */
  readonly stage?: (unit: UnitOfWork, notes: RowNotes) => void;
}

export const NO_ROWS: RowNotes = { done: '0', counts: NOTHING };

/** Which rows of an import have a result by now, and what these are in sum. */
export class RowLedger {
  readonly #options: RowLedgerOptions;
  #done: bigint;
  #counts: ImportCounts;
  #isBegun = false;

  constructor({ notes = NO_ROWS, ...options }: RowLedgerOptions) {
    this.#options = options;
    this.#done = BigInt(`0x${notes.done}`);
    this.#counts = notes.counts;
  }

  get notes(): RowNotes {
    return { done: this.#done.toString(16), counts: this.#counts };
  }

  /** Whether a row has got its result from this run. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** The notes of rows from one on. */
  doneFrom(row: number): string {
    return (this.#done >> BigInt(row - this.#options.first)).toString(16);
  }

  has(row: number): boolean {
    return (this.#done & this.#bit(row)) !== 0n;
  }

  /** Whether no further row is begun; one at least is. */
  isLate(): boolean {
    return this.#isBegun && this.#options.isLate?.(this.#counts) === true;
  }

  add(results: readonly BulkResult[]): void {
    const errors = results.flatMap(({ index, error }) => (error ? toErrors(index, error) : []));
    this.#isBegun ||= results.length > 0;
    for (const { index } of results) this.#done |= this.#bit(index);
    const counts = add(this.#counts, {
      created: results.filter(({ status }) => status === 201).length,
      updated: results.filter(({ status }) => status === 200).length,
      failed: results.filter(({ error }) => error).length,
      errors,
    });
    this.#counts = { ...counts, errors: counts.errors.slice(0, this.#options.maxErrors) };
  }

  /** Stages the notes as they are with results that the unit is about to make. */
  stage(unit: UnitOfWork, results: readonly BulkResult[]): void {
    const { stage } = this.#options;
    if (!stage) return;
    const next = new RowLedger({ ...this.#options, notes: this.notes });
    next.add(results);
    stage(unit, next.notes);
  }

  #bit(row: number): bigint {
    return 1n << BigInt(row - this.#options.first);
  }
}
