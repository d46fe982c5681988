import { isJsonObject, type JsonObject, own } from '../entity/json.ts';
import type { FormDocument } from './read-document.ts';

/** What somebody may know of a form. */
export interface FormLimits {
  /** Fields that the form does not name. */
  readonly hidden: ReadonlySet<string>;
  /** Whether the form may ask for a value of a field. */
  readonly isAsked: (code: string) => boolean;
}

/** Texts for people; they name no field. */
const TEXTS: ReadonlySet<string> = new Set(
  'title description label text i18n ui:title ui:description ui:help ui:placeholder'.split(' '),
);
/** Keywords about the field itself; others are kept unless they name a hidden field. */
const OF_FIELD: ReadonlySet<string> = new Set(
  `${[...TEXTS].join(' ')} type format enum const default examples properties items required readOnly writeOnly
  minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems
  additionalProperties x-reference x-renamed-from x-component x-decorator $ref`.split(/\s+/),
);
const CONDITION = ['if', 'then', 'else'] as const;
const DEFINITIONS = ['$defs', 'definitions'] as const;

/** The form without the fields that are hidden, and without what names them. */
export function narrowedForm(
  { schema, uiSchema, uischema }: FormDocument,
  limits: FormLimits,
): { readonly schema: JsonObject; readonly uiSchema: unknown } {
  return {
    schema: withUsedDefinitions(narrowedRoot(schema, limits), schema),
    uiSchema: narrowedLayout(uiSchema ?? uischema ?? {}, limits.hidden) ?? {},
  };
}

function narrowedRoot(schema: JsonObject, limits: FormLimits): JsonObject {
  const { hidden } = limits;
  const isTied = CONDITION.some((name) => mentions(own(schema, name), hidden));
  const left = new Set<string>([...DEFINITIONS, ...(isTied ? CONDITION : [])]);
  const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (left.has(name)) return [];
    if (name === 'properties') return [[name, narrowedProperties(value, limits)]];
    if (name === 'required') return requiredOf(value, limits);
    if (TEXTS.has(name)) return [[name, value]];
    const kept = withoutMentions(value, hidden);
    return kept === undefined ? [] : [[name, kept]];
  });
  return Object.fromEntries(entries);
}

function requiredOf(value: unknown, { hidden, isAsked }: FormLimits): [string, unknown][] {
  if (!Array.isArray(value)) return [['required', value]];
  return [['required', value.filter((code) => !hidden.has(code) && isAsked(String(code)))]];
}

/** Layout nodes that hold no field any more are left out. */
function narrowedProperties(properties: unknown, limits: FormLimits): JsonObject {
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  return Object.fromEntries(
    entries.flatMap(([code, node]): [string, unknown][] => {
      if (isJsonObject(node) && own(node, 'type') === 'void') {
        const below = narrowedProperties(own(node, 'properties'), limits);
        const isEmpty = Object.keys(below).length === 0;
        return isEmpty ? [] : [[code, { ...narrowedNode(node, limits.hidden), properties: below }]];
      }
      if (limits.hidden.has(code)) return [];
      if (!isJsonObject(node) || limits.isAsked(code)) {
        return [[code, isJsonObject(node) ? narrowedNode(node, limits.hidden) : node]];
      }
      const { required, ...rest } = narrowedNode(node, limits.hidden);
      return [[code, { ...rest, ...(Array.isArray(required) && { required }), readOnly: true }]];
    }),
  );
}

const narrowedNode = (node: JsonObject, hidden: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(
    Object.entries(node).filter(([name, value]) => OF_FIELD.has(name) || !mentions(value, hidden)),
  );

/** A keyword without its parts that name a hidden field; `undefined` when nothing is left of it. */
function withoutMentions(value: unknown, hidden: ReadonlySet<string>): unknown {
  if (!mentions(value, hidden)) return value;
  const isLeft = (part: unknown): boolean => !mentions(part, hidden);
  if (Array.isArray(value)) return nonEmpty(value.filter(isLeft));
  if (!isJsonObject(value)) return undefined;
  const kept = Object.entries(value).filter(([name, part]) => !hidden.has(name) && isLeft(part));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** A layout without the parts that name a hidden field; containers that become empty are left out. */
function narrowedLayout(layout: unknown, hidden: ReadonlySet<string>): unknown {
  if (Array.isArray(layout)) {
    return layout.flatMap((part) => {
      const kept = narrowedLayout(part, hidden);
      return kept === undefined ? [] : [kept];
    });
  }
  if (!isJsonObject(layout)) return mentions(layout, hidden) ? undefined : layout;
  if (mentions(own(layout, 'scope'), hidden)) return undefined;
  const entries = Object.entries(layout).flatMap(([name, value]): [string, unknown][] => {
    if (TEXTS.has(name)) return [[name, value]];
    if (hidden.has(name) || (name === 'rule' && mentions(value, hidden))) return [];
    const kept = narrowedLayout(value, hidden);
    return kept === undefined ? [] : [[name, kept]];
  });
  const kept = Object.fromEntries(entries);
  const had = own(layout, 'elements');
  const isEmptied = Array.isArray(had) && had.length > 0 && !nonEmpty(own(kept, 'elements'));
  return isEmptied ? undefined : kept;
}

const nonEmpty = (list: unknown): unknown =>
  Array.isArray(list) && list.length > 0 ? list : undefined;

/** Only the definitions that what is left refers to. */
function withUsedDefinitions(narrowed: JsonObject, schema: JsonObject): JsonObject {
  const used = new Set<unknown>();
  const follow = (value: unknown): void => {
    if (Array.isArray(value)) for (const part of value) follow(part);
    if (!isJsonObject(value)) return;
    const target = own(value, '$ref');
    if (typeof target === 'string' && !used.has(target)) {
      used.add(target);
      follow(definitionAt(target, schema));
    }
    for (const part of Object.values(value)) follow(part);
  };
  follow(narrowed);
  const kept = DEFINITIONS.flatMap((name): [string, unknown][] => {
    const all = own(schema, name);
    if (!isJsonObject(all)) return [];
    const some = Object.entries(all).filter(([key]) => used.has(`#/${name}/${key}`));
    return some.length > 0 ? [[name, Object.fromEntries(some)]] : [];
  });
  return { ...narrowed, ...Object.fromEntries(kept) };
}

function definitionAt(pointer: string, schema: JsonObject): unknown {
  const [, name = '', key = ''] = pointer.split('/');
  const all = own(schema, name);
  return isJsonObject(all) ? own(all, key) : undefined;
}

/** Whether a value names one of the codes: as a member, as a text or within an expression. */
function mentions(value: unknown, codes: ReadonlySet<string>): boolean {
  if (typeof value === 'string') {
    const parts = [...value.split(/[^\p{L}\p{N}_-]+/u), ...value.split(/[^\p{L}\p{N}_]+/u)];
    return parts.some((part) => codes.has(part));
  }
  if (Array.isArray(value)) return value.some((part) => mentions(part, codes));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, part]) => codes.has(name) || mentions(part, codes));
}
