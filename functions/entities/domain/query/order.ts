import type { EntityModel } from '../definitions/model.ts';
import type { RecordHeader } from '../entity/record.ts';
import { NO_VALUE, valueKey } from '../records/index-rows.ts';
import { compareKeys } from '../values/folding.ts';
import { isUuid } from '../values/ids.ts';
import { invalid } from './refusal.ts';
import { notSortable, relatedPath } from './related.ts';

/** Places of records in an order that records of another entity decide. */
export interface Places {
  of(header: RecordHeader): string;
  /** Reads what decides the places of records. */
  learn(headers: readonly RecordHeader[]): Promise<void>;
}

/** One step of an order. */
export interface SortKey {
  /** A field, or one of the records that a field refers to: `customer.name`. */
  readonly field: string;
  readonly descending: boolean;
  /** For a field of related records, once they are found. */
  readonly places?: Places;
}

/** Newest first: the default order. */
const DEFAULT_ORDER: readonly SortKey[] = [{ field: 'createdAt', descending: true }];

const MAX_SORT_KEYS = 5;

/**
 * Reads `-dueDate,name`; `dueDate,desc` and `dueDate:desc` are understood, and so is a repeated parameter.
 * @throws Problem `INVALID_PARAMETER` (400) for a field that is not sortable
 */
export function parseOrder(
  given: string | readonly string[] | undefined,
  model: EntityModel,
): readonly SortKey[] {
  const texts = given === undefined ? [] : typeof given === 'string' ? [given] : given;
  const keys: SortKey[] = [];
  for (const part of texts.flatMap((text) => text.split(',')).map((text) => text.trim())) {
    const last = keys.at(-1);
    if (/^(?:asc|desc)$/i.test(part) && last && !model.queryField(part)) {
      keys[keys.length - 1] = { ...last, descending: part.toLowerCase() === 'desc' };
      continue;
    }
    keys.push(keyOf(part, model));
  }
  if (keys.length > MAX_SORT_KEYS) {
    throw invalid('sort', 'TOO_MANY', `takes at most ${MAX_SORT_KEYS} fields`);
  }
  if (keys.length > 1 && keys.some(isRelated)) {
    throw invalid('sort', 'NOT_ALONE', 'takes a field of related records alone');
  }
  return keys.length === 0 ? DEFAULT_ORDER : upToId(keys);
}

function keyOf(part: string, model: EntityModel): SortKey {
  const [, minus, field = '', direction] = /^([-+]?)([^:]+)(?::(asc|desc))?$/i.exec(part) ?? [];
  const descending = direction ? direction.toLowerCase() === 'desc' : minus === '-';
  const decides = field.includes('.')
    ? relatedPath('sort', field, model).field
    : model.queryField(field);
  if (!decides?.sortable) throw notSortable(part);
  return { field, descending };
}

/** Ids are unique, so later keys are dropped; ids in the direction of the first key break ties anyway. */
function upToId(keys: readonly SortKey[]): readonly SortKey[] {
  const at = keys.findIndex(({ field }) => isIdOrder(field));
  if (at === -1) return keys;
  const isImplied = at > 0 && keys[at]?.descending === isReversed(keys);
  return keys.slice(0, isImplied ? at : at + 1);
}

/** Ids sort by creation time, so both names mean the same order. */
export const isIdOrder = (field: string): boolean => field === 'id' || field === 'createdAt';

/** Whether the order is by id only. */
export const isNatural = (order: readonly SortKey[]): boolean =>
  order.length === 1 && isIdOrder(order[0]?.field ?? '');

/** Ids break ties in the direction of the first key, which is the order in which an index is read. */
export const isReversed = (order: readonly SortKey[]): boolean => order[0]?.descending === true;

/** Whether a field of related records decides. */
export const isRelated = ({ field }: SortKey): boolean => field.includes('.');

/** The field of the entity itself that an order looks at. */
export const ownField = ({ field }: SortKey): string => field.split('.', 1)[0] ?? field;

/** How an order is written in a list: `-dueDate`. */
export const toText = ({ field, descending }: SortKey): string =>
  `${descending ? '-' : ''}${field}`;

/** The reverse order. */
export const reversed = (order: readonly SortKey[]): readonly SortKey[] =>
  order.map((key) => ({ ...key, descending: !key.descending }));

/** Whether records of the same keys come highest id first. */
const idsDescend = (order: readonly SortKey[]): boolean =>
  order.find(({ field }) => isIdOrder(field))?.descending ?? isReversed(order);

/** The order of records that have the same first key. */
export const withinGroup = (order: readonly SortKey[]): readonly SortKey[] =>
  upToId([...order.slice(1), { field: 'id', descending: idsDescend(order) }]);

/** Position of a record in an order. */
export interface Position {
  /** Keys of the record, one for each step of the order. */
  readonly keys: readonly string[];
  readonly id: string;
}

/** The position of a record; a missing value sorts first. */
export function positionOf(
  order: readonly SortKey[],
  header: RecordHeader,
  model: EntityModel,
): Position {
  const keys = order
    .filter(({ field }) => !isIdOrder(field))
    .map(({ field, places }) => {
      if (places) return places.of(header);
      const [entry] = model.queryField(field)?.entries(header) ?? [];
      return entry ? valueKey(entry.key) : NO_VALUE;
    });
  return { keys, id: header.id };
}

/** Compares places: negative when `one` comes first. */
export function comparePositions(
  order: readonly SortKey[],
  one: Position,
  other: Position,
): number {
  for (const [at, { field, descending }] of order.entries()) {
    if (isIdOrder(field)) break;
    const difference = compareKeys(one.keys[at] ?? '', other.keys[at] ?? '');
    if (difference !== 0) return descending ? -difference : difference;
  }
  const difference = compareKeys(one.id, other.id);
  return idsDescend(order) ? -difference : difference;
}

/** The gap before a position: a scan from there starts with the record at that position. */
export function gapBefore(order: readonly SortKey[], { keys, id }: Position): Position {
  if (!isUuid(id)) return { keys, id };
  const lower = id.slice(0, -1) + String.fromCharCode(id.charCodeAt(id.length - 1) - 1);
  return { keys, id: `${idsDescend(order) ? id : lower}~` };
}

/** A place before all records whose first key is this one. */
export function startOfGroup(order: readonly SortKey[], key: string): Position {
  const [, ...others] = order.filter(({ field }) => !isIdOrder(field));
  const before = (isDescending: boolean): string => (isDescending ? '~' : '!');
  const keys = others.map(({ descending }) => before(descending));
  return { keys: [key, ...keys], id: before(idsDescend(order)) };
}
