import { isJsonObject, own } from '../entity/json.ts';
import { computesFrom, isText, mentions } from './mentions.ts';

const ORDER = 'ui:order';

/** A layout without the parts that name a hidden field; containers that become empty are left out. */
export function narrowedLayout(
  layout: unknown,
  hidden: ReadonlySet<string>,
  isNested = false,
): unknown {
  if (Array.isArray(layout)) {
    return layout.flatMap((part) => {
      const kept = narrowedLayout(part, hidden, isNested);
      return kept === undefined ? [] : [kept];
    });
  }
  if (!isJsonObject(layout)) return mentions(layout, hidden) ? undefined : layout;
  const scope = own(layout, 'scope');
  if (mentions(typeof scope === 'string' ? fieldOf(scope) : scope, hidden)) return undefined;
  const entries = Object.entries(layout).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'scope') return [[name, value]];
    if (hidden.has(name) || (name === 'rule' && mentions(value, hidden))) return [];
    const kept = narrowedMember(name, value, hidden, isNested);
    return kept === undefined ? [] : [[name, kept]];
  });
  const kept = Object.fromEntries(entries);
  return isEmptied(own(layout, 'elements'), own(kept, 'elements')) ? undefined : kept;
}

function narrowedMember(
  name: string,
  value: unknown,
  hidden: ReadonlySet<string>,
  isNested: boolean,
): unknown {
  if (isText(name, value)) return computesFrom(value, hidden) ? undefined : value;
  if (name === ORDER && Array.isArray(value)) return narrowedOrder(value, hidden, isNested);
  return narrowedLayout(value, hidden, true);
}

/** The field that a scope is in; what is below it has names of its own. */
const fieldOf = (scope: string): string => /^#\/properties\/([^/]*)/.exec(scope)?.[1] ?? scope;

/** rjsf refuses an order that lacks a member, and an object within a field may have one of the same name. */
function narrowedOrder(
  order: readonly unknown[],
  hidden: ReadonlySet<string>,
  isNested: boolean,
): readonly unknown[] {
  const kept = order.filter((name) => !mentions(name, hidden));
  const isWhole = !isNested || kept.length === order.length || kept.includes('*');
  return isWhole ? kept : [...kept, '*'];
}

const isEmptied = (before: unknown, after: unknown): boolean =>
  Array.isArray(before) && before.length > 0 && !(Array.isArray(after) && after.length > 0);
