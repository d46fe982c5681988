import { isJsonObject, type JsonObject, own } from '../entity/json.ts';
import { partsOf, resolvePointer } from '../entity/pointer.ts';
import { flattenFields } from './flatten.ts';
import { computesFrom, isText, mentions, referencesOf, withoutMentions } from './mentions.ts';
import { narrowedLayout } from './narrowed-layout.ts';
import type { FormDocument } from './read-document.ts';

/** What somebody may know of a form. */
export interface FormLimits {
  /** Code of the entity. */
  readonly entity: string;
  /** Fields that the form does not name. */
  readonly hidden: ReadonlySet<string>;
  /** Whether the form may ask for a value of a field. */
  readonly isAsked: (code: string) => boolean;
}

/** Keywords of a field about its own values; others are kept unless they name a hidden field. */
const OF_FIELD: ReadonlySet<string> = new Set(
  `type format const default readOnly writeOnly minLength maxLength pattern minimum maximum exclusiveMinimum
  exclusiveMaximum multipleOf minItems maxItems uniqueItems additionalProperties x-component x-decorator`.split(
    /\s+/,
  ),
);
/** Keywords of a record that mean something else, or nothing, once a part of them is gone. */
const WHOLE: ReadonlySet<string> = new Set(
  'not anyOf oneOf enum const propertyNames additionalProperties unevaluatedProperties contains $ref $dynamicRef'.split(
    ' ',
  ),
);
/** Keywords of a record whose parts can be left out one by one. */
const PARTS: ReadonlySet<string> = new Set([
  'allOf',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
]);
/** Keywords of a record that also count members that the form leaves out. */
const ABOUT_ALL: ReadonlySet<string> = new Set(['minProperties', 'patternProperties']);
const CONDITION = ['if', 'then', 'else'] as const;
const DEFINITIONS = ['$defs', 'definitions'] as const;
const TO_DEFINITION = /^#\/(?:\$defs|definitions)\//;

/**
 * The form without the fields that are hidden, and without what names them. Rules that a field takes part in which
 * may not be written are left out: whoever fills in the form could not follow them, and a write checks them anyway.
 */
export function narrowedForm(
  { schema, uiSchema, uischema }: FormDocument,
  limits: FormLimits,
): { readonly schema: JsonObject; readonly uiSchema: unknown } {
  return {
    schema: new NarrowedSchema(schema, limits).whole(),
    uiSchema: narrowedLayout(uiSchema ?? uischema ?? {}, limits.hidden) ?? {},
  };
}

class NarrowedSchema {
  readonly #schema: JsonObject;
  readonly #limits: FormLimits;
  /** Fields that a rule of the form may not tie others to. */
  readonly #unwritable: ReadonlySet<string>;

  constructor(schema: JsonObject, limits: FormLimits) {
    this.#schema = schema;
    this.#limits = limits;
    const codes = flattenFields(schema).map(({ code }) => code);
    const unasked = codes.filter((code) => !limits.isAsked(code));
    this.#unwritable = new Set([...limits.hidden, ...unasked]);
  }

  whole(): JsonObject {
    const isTied = CONDITION.some((name) => this.#isTied(own(this.#schema, name)));
    const left = new Set<string>([...DEFINITIONS, ...(isTied ? CONDITION : [])]);
    const entries = Object.entries(this.#schema).flatMap(([name, value]): [string, unknown][] => {
      const kept = left.has(name) ? undefined : this.#keyword(name, value);
      return kept === undefined ? [] : [[name, kept]];
    });
    return this.#withUsedDefinitions(Object.fromEntries(entries));
  }

  #keyword(name: string, value: unknown): unknown {
    const { hidden, isAsked } = this.#limits;
    if (name === 'properties') return this.#properties(value);
    if (name === 'required' && Array.isArray(value)) {
      return value.filter((code) => !hidden.has(String(code)) && isAsked(String(code)));
    }
    if (isText(name, value)) return computesFrom(value, hidden) ? undefined : value;
    if (ABOUT_ALL.has(name)) return this.#unwritable.size > 0 ? undefined : value;
    if (WHOLE.has(name)) return this.#isTied({ [name]: value }) ? undefined : value;
    if (PARTS.has(name)) return this.#untied(value);
    return withoutMentions(value, hidden);
  }

  /** Whether a rule has to do with a field that may not be written, by what it refers to as well. */
  #isTied(rule: unknown, followed: ReadonlySet<unknown> = new Set()): boolean {
    if (mentions(rule, this.#unwritable)) return true;
    return referencesOf(rule).some((target) => {
      if (followed.has(target)) return false;
      if (typeof target !== 'string' || !TO_DEFINITION.test(target)) return true;
      return this.#isTied(resolvePointer(this.#schema, target), new Set([...followed, target]));
    });
  }

  #untied(rules: unknown): unknown {
    if (Array.isArray(rules)) {
      const kept = rules.filter((rule) => !this.#isTied(rule));
      return kept.length > 0 ? kept : undefined;
    }
    if (!isJsonObject(rules)) return undefined;
    const kept = Object.entries(rules).filter(([code, rule]) => !this.#isTied({ [code]: rule }));
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  }

  /** Layout nodes that hold no field any more are left out. */
  #properties(properties: unknown): JsonObject {
    const { hidden, isAsked } = this.#limits;
    const entries = Object.entries(isJsonObject(properties) ? properties : {});
    return Object.fromEntries(
      entries.flatMap(([code, node]): [string, unknown][] => {
        if (isJsonObject(node) && own(node, 'type') === 'void') {
          const { properties: below, ...about } = node;
          const fields = this.#properties(below);
          const isEmpty = Object.keys(fields).length === 0;
          return isEmpty ? [] : [[code, { ...this.#node(about), properties: fields }]];
        }
        if (hidden.has(code)) return [];
        if (!isJsonObject(node)) return [[code, node]];
        if (isAsked(code)) return [[code, this.#node(node)]];
        const { required, ...rest } = this.#node(node);
        return [[code, { ...rest, ...(Array.isArray(required) && { required }), readOnly: true }]];
      }),
    );
  }

  /** @param inlined references that lead here and are resolved on the way */
  #node(node: unknown, inlined: ReadonlySet<string> = new Set()): JsonObject {
    if (!isJsonObject(node)) return {};
    const { $ref: target, ...rest } = node;
    const entries = Object.entries(rest).flatMap(([name, value]): [string, unknown][] => {
      const kept = this.#ofNode(name, value, inlined);
      return kept === undefined ? [] : [[name, kept]];
    });
    return { ...this.#referred(target, inlined), ...Object.fromEntries(entries) };
  }

  #ofNode(name: string, value: unknown, inlined: ReadonlySet<string>): unknown {
    const { hidden, entity } = this.#limits;
    const below = (node: unknown): unknown =>
      isJsonObject(node) ? this.#node(node, inlined) : node;
    if (name === 'properties' && isJsonObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, node]) => [key, below(node)]));
    }
    if (name === 'items' || name === 'prefixItems') {
      return Array.isArray(value) ? value.map(below) : below(value);
    }
    if (name === 'x-reference') return referenceWithin(value, entity, hidden);
    if (isOfField(name, value)) return computesFrom(value, hidden) ? undefined : value;
    const isHidden =
      mentions(value, hidden) || referencesOf(value).some((target) => this.#isHiddenTarget(target));
    return isHidden ? undefined : value;
  }

  #isHiddenTarget(target: unknown): boolean {
    if (typeof target !== 'string' || !TO_DEFINITION.test(target)) return true;
    return mentions(target, this.#limits.hidden);
  }

  /** What a reference adds to a node: itself, or what it refers to when its own text or place is not in the form. */
  #referred(target: unknown, inlined: ReadonlySet<string>): JsonObject {
    if (typeof target !== 'string' || !target.startsWith('#/') || inlined.has(target)) return {};
    if (!this.#isHiddenTarget(target)) return { $ref: target };
    const isOfHiddenField = !TO_DEFINITION.test(target) && mentions(target, this.#limits.hidden);
    if (isOfHiddenField) return {};
    return this.#node(resolvePointer(this.#schema, target), new Set([...inlined, target]));
  }

  /** Only the definitions that what is left refers to. */
  #withUsedDefinitions(narrowed: JsonObject): JsonObject {
    const kept: Record<string, Record<string, JsonObject>> = {};
    const waiting = referencesOf(narrowed);
    for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
      const [list = '', key] = TO_DEFINITION.test(String(target)) ? partsOf(String(target)) : [];
      if (key === undefined || own(kept[list] ?? {}, key) !== undefined) continue;
      const definition = this.#node(own(own(this.#schema, list) as JsonObject, key));
      kept[list] = { ...kept[list], [key]: definition };
      waiting.push(...referencesOf(definition));
    }
    return { ...narrowed, ...kept };
  }
}

const isOfField = (name: string, value: unknown): boolean =>
  OF_FIELD.has(name) ||
  isText(name, value) ||
  ((name === 'enum' || name === 'required') && Array.isArray(value));

/** A reference without `labelField` when that is a hidden field of the same entity. */
function referenceWithin(value: unknown, entity: string, hidden: ReadonlySet<string>): unknown {
  if (!isJsonObject(value) || value.entity !== entity) return value;
  const { labelField, ...rest } = value;
  return hidden.has(String(labelField)) ? rest : value;
}
