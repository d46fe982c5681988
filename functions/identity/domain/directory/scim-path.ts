/** A resource as a source gives it. */
export type Resource = Readonly<Record<string, unknown>>;

/** Reads one value of a resource. */
export type ReadPath = (resource: Resource) => unknown;

/** A path that cannot be read, with the rule that it breaks. */
export class ScimPathError extends Error {
  override readonly name = 'ScimPathError';
  /** Field of a mapping that has the path. */
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group)$/i;
const NAME = /^[A-Za-z$][\w$-]*$/;
const FORM =
  'must be a SCIM path such as name.formatted, emails[type eq "work"].value or urn:example:User:badge';

interface Selector {
  readonly attribute: string;
  readonly value: unknown;
}

interface Step {
  readonly name: string;
  readonly selectors: readonly Selector[];
}

/**
 * Compiles a path of SCIM: attributes and sub-attributes, selected by `[type eq "work"]`, of the core or an extension
 * schema. Of several values it reads the primary one, or else the first.
 * @throws ScimPathError
 * @see RFC 7644, section 3.5.2
 */
export function compilePath(path: string): ReadPath {
  const { schema, rest } = splitSchema(path.trim());
  const steps = stepsOf(rest);
  return (resource) => {
    let value: unknown = schema === undefined ? resource : member(resource, schema);
    for (const step of steps) {
      value = one(member(value, step.name), step.selectors);
      if (value === undefined || value === null) return undefined;
    }
    return value;
  };
}

/** The schema is what comes before the last colon outside of brackets. */
function splitSchema(path: string): { readonly schema?: string; readonly rest: string } {
  if (!/^urn:/i.test(path)) return { rest: path };
  const bracket = path.indexOf('[');
  const end = path.lastIndexOf(':', bracket < 0 ? path.length : bracket);
  const schema = path.slice(0, end);
  const rest = path.slice(end + 1);
  if (!/^urn:[^:]+:/i.test(schema)) throw new ScimPathError(FORM);
  return CORE.test(schema) ? { rest } : { schema, rest };
}

function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  const part = /([^.[\]]+)(?:\[([^\]]*)\])?(?:\.|$)/y;
  while (part.lastIndex < path.length) {
    const [, name = '', filter] = part.exec(path) ?? [];
    if (!NAME.test(name)) throw new ScimPathError(FORM);
    steps.push({ name, selectors: filter === undefined ? [] : selectorsOf(filter) });
  }
  if (steps.length === 0 || steps.length > 3 || path.endsWith('.')) throw new ScimPathError(FORM);
  return steps;
}

function selectorsOf(filter: string): Selector[] {
  return filter.split(/\s+and\s+/i).map((text) => {
    const [, attribute, literal] =
      /^\s*([A-Za-z$][\w$-]*)\s+eq\s+("[^"\\]*"|true|false)\s*$/i.exec(text) ?? [];
    if (attribute === undefined || literal === undefined) throw new ScimPathError(FORM);
    return {
      attribute,
      value: JSON.parse(literal.startsWith('"') ? literal : literal.toLowerCase()),
    };
  });
}

/** Names of attributes and schemas have no case. */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const record = value as Resource;
  if (Object.hasOwn(record, name)) return record[name];
  for (const key in record) {
    if (key.length === name.length && key.toLowerCase() === name.toLowerCase()) return record[key];
  }
  return undefined;
}

function one(value: unknown, selectors: readonly Selector[]): unknown {
  if (!Array.isArray(value)) return selectors.length === 0 ? value : undefined;
  let first: unknown;
  for (const each of value) {
    if (selectors.length > 0 && !isSelected(each, selectors)) continue;
    if (member(each, 'primary') === true) return each;
    first ??= each;
  }
  return first;
}

const isSelected = (value: unknown, selectors: readonly Selector[]): boolean =>
  selectors.every((selector) => same(member(value, selector.attribute), selector.value));

const same = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string' ? a.toLowerCase() === b.toLowerCase() : a === b;
