import { type Attributes, isSame, sizeOfItem } from './attribute-value.ts';
import { INDEX_NAMES, type IndexName, indexEntry, keyNames } from './storage.ts';

/** Units of one table operation. */
export interface Units {
  readonly table: number;
  readonly indexes: Readonly<Partial<Record<IndexName, number>>>;
}

const KIB = 1_024;

/** Units of reading so many bytes: one for each 4 KiB begun, half of it when eventually consistent. */
export function readUnits(bytes: number, isConsistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / (4 * KIB))) * (isConsistent ? 1 : 0.5);
}

/** Units of one write: the larger of the two items, and what changes in each index. */
export function writeUnits(
  before: Attributes | undefined,
  after: Attributes | undefined,
  { isTransaction = false }: { isTransaction?: boolean } = {},
): Units {
  const indexes: Partial<Record<IndexName, number>> = {};
  for (const index of INDEX_NAMES) {
    const units = indexUnits(indexEntry(before, index), indexEntry(after, index), index);
    if (units > 0) indexes[index] = units;
  }
  const table = Math.max(kibibytes(before), kibibytes(after), 1) * (isTransaction ? 2 : 1);
  return { table, indexes };
}

/** Units of several operations together. */
export function addUnits(units: readonly Units[]): Units {
  const indexes: Partial<Record<IndexName, number>> = {};
  for (const one of units) {
    for (const index of INDEX_NAMES) {
      const more = one.indexes[index];
      if (more) indexes[index] = (indexes[index] ?? 0) + more;
    }
  }
  return { table: units.reduce((sum, { table }) => sum + table, 0), indexes };
}

/** All units of an operation. */
export const totalUnits = ({ table, indexes }: Units): number =>
  Object.values(indexes).reduce((sum, units) => sum + units, table);

function indexUnits(
  before: Attributes | undefined,
  after: Attributes | undefined,
  index: IndexName,
): number {
  if (!before || !after) return kibibytes(before ?? after);
  if (isSame({ M: before }, { M: after })) return 0;
  const { pk, sk } = keyNames(index);
  const moves = [pk, sk].some((name) => before[name]?.S !== after[name]?.S);
  return moves
    ? kibibytes(before) + kibibytes(after)
    : Math.max(kibibytes(before), kibibytes(after));
}

function kibibytes(item: Attributes | undefined): number {
  return item ? Math.max(1, Math.ceil(sizeOfItem(item) / KIB)) : 0;
}
