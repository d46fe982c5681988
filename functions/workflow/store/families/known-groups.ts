import type { Key } from '../../../../shared/store/table.ts';

/** Beyond so many it begins anew: they are written once more. */
const MAX_KNOWN = 10_000;

/**
 * The rows of groups that this environment has stored. They are never deleted, so they are not written again: all cases
 * with tasks for a group share its row, and transactions that write the same item refuse each other.
 */
export class KnownGroups {
  readonly #known = new Set<string>();

  unknown(rows: readonly Key[]): Key[] {
    return rows.filter((row) => !this.#known.has(textOf(row)));
  }

  add(rows: readonly Key[]): void {
    if (this.#known.size + rows.length > MAX_KNOWN) this.#known.clear();
    for (const row of rows) this.#known.add(textOf(row));
  }
}

const textOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;
