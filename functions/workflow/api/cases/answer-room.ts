import type { Variables } from '../../domain/cmmn/index.ts';

/** Bytes that the variables of one answer take at most: a response has 6 MB, with its body as a text in JSON. */
const MAX_BYTES = 4_000_000;
/** Most bytes of a character of JSON in such a text. */
const BYTES_OF_CHARACTER = 3;

/** Room for variables in an answer: those that come when it is used up are left out. */
export class AnswerRoom {
  #left = MAX_BYTES;
  #isCut = false;

  /** Whether something was left out. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Those of the variables that fit, in their order. */
  take(variables: Variables): Variables {
    const most = JSON.stringify(variables).length * BYTES_OF_CHARACTER;
    if (most <= this.#left) {
      this.#left -= most;
      return variables;
    }
    return Object.fromEntries(Object.entries(variables).filter((entry) => this.#takes(entry)));
  }

  #takes(entry: readonly [string, unknown]): boolean {
    const bytes = Buffer.byteLength(JSON.stringify(JSON.stringify(entry)));
    if (bytes <= this.#left) {
      this.#left -= bytes;
      return true;
    }
    this.#isCut = true;
    return false;
  }
}

/** The variables of a case as an answer of their own. */
export function toVariables(variables: Variables) {
  const room = new AnswerRoom();
  const shown = room.take(variables);
  return { variables: shown, ...(room.isCut && { truncated: true }) };
}
