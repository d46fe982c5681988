import type { EntityModel } from '../definitions/model.ts';
import type { FlatRecord } from '../entity/record.ts';

/** Columns of an exported file; what is stored encrypted stays out of files. */
export function columnsOf(
  { definition }: EntityModel,
  wanted: readonly string[] | undefined,
): string[] {
  const codes = definition.fields
    .filter(
      ({ code, encrypted, writeOnly }) =>
        !encrypted && !writeOnly && (wanted?.includes(code) ?? true),
    )
    .map(({ code }) => code);
  return ['id', ...(definition.hierarchical ? ['parentId'] : []), ...codes];
}

/** A record as a file shows it. */
export function withColumns(record: FlatRecord, columns: readonly string[]): FlatRecord {
  return Object.fromEntries(
    columns.flatMap((column) => (record[column] === undefined ? [] : [[column, record[column]]])),
  ) as FlatRecord;
}
