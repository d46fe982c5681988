import { httpProblems } from '../../../../shared/problems/http-problems.ts';

const REMEDY = 'Name fewer fields or shorter ones, or filter for fewer records.';

/** Room of an answer for values that are collected for it, so that memory does not hold more of them. */
export class AnswerRoom {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes a value in, instead of another one.
   * @throws Problem `ANSWER_TOO_LARGE` (422) when the values are more than an answer holds
   */
  take(value: unknown, instead?: unknown): void {
    this.#bytes += bytesOf(value) - bytesOf(instead);
    if (this.#bytes <= this.#maxBytes) return;
    const sizes = { sizeBytes: this.#bytes, maxBytes: this.#maxBytes };
    throw httpProblems.answerTooLarge({ ...sizes, remedy: REMEDY });
  }
}

const bytesOf = (value: unknown): number =>
  value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
