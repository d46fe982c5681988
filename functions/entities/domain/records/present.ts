import type { EntityModel } from '../definitions/model.ts';
import type { FlatRecord, RecordHeader } from '../entity/record.ts';

/** Visible fields of a record. */
export interface Shown {
  /** Fields the caller may see; all when there is no list. */
  readonly visible?: ReadonlySet<string> | undefined;
  /** Fields the caller asks for; all when there is no list. */
  readonly wanted?: ReadonlySet<string> | undefined;
}

/** A record as callers see it: field codes at top level beside the system fields. */
export function toFlat(
  model: EntityModel,
  header: RecordHeader,
  { visible, wanted }: Shown = {},
): FlatRecord {
  const { hierarchical } = model.definition;
  const { id, version, createdAt, createdBy, updatedAt, updatedBy, deletedAt, deletedBy } = header;
  const isShown = (code: string): boolean => {
    const field = model.field(code);
    const isKnown = field ? !field.writeOnly : model.isMember(code);
    return isKnown && (visible?.has(code) ?? true) && (wanted?.has(code) ?? true);
  };
  return {
    ...Object.fromEntries(Object.entries(header.values).filter(([code]) => isShown(code))),
    id,
    version,
    ...(hierarchical ? { parentId: header.parentId ?? null } : {}),
    createdAt,
    createdBy,
    updatedAt,
    updatedBy,
    ...(deletedAt === undefined ? {} : { deletedAt, deletedBy }),
  };
}

/** Codes of fields whose values differ between two states. */
export function changedFields(
  before: RecordHeader['values'],
  after: RecordHeader['values'],
): string[] {
  const codes = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...codes].filter((code) => JSON.stringify(before[code]) !== JSON.stringify(after[code]));
}

/** A record with the values of some fields alone, for who keeps many records. */
export function withSome(
  { stored: _stored, ...header }: RecordHeader,
  codes: readonly string[],
): RecordHeader {
  const values = Object.fromEntries(
    codes.flatMap((code) =>
      header.values[code] === undefined ? [] : [[code, header.values[code]]],
    ),
  );
  return { ...header, values };
}
