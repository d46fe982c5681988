import { isRecord } from '../basics/json.ts';

/** What does not have its form: where, from the outside in, and why. */
export class Misfit {
  readonly why: string;
  readonly path: readonly string[];

  constructor(why: string, path: readonly string[] = []) {
    this.why = why;
    this.path = path;
  }

  /** The same, seen from around it. */
  below(member: string): Misfit {
    return new Misfit(this.why, [member, ...this.path]);
  }
}

/**
 * Reads a value of JSON that should have a form: a frozen copy, or what is wrong. States are read with every command,
 * so a form looks only at the members that are there.
 */
export type Form<Value> = (value: unknown) => Value | Misfit;

type FormsOf<Value> = { readonly [Member in keyof Value]-?: Form<Value[Member]> };

/** What the test holds for, as it is. */
export const where =
  <Value>(test: (value: unknown) => value is Value, why: string): Form<Value> =>
  (value) =>
    test(value) ? value : new Misfit(why);

/** One of these. */
export function oneOf<const Value>(...values: readonly Value[]): Form<Value> {
  const known = new Set<unknown>(values);
  return where((value): value is Value => known.has(value), 'not one of the values');
}

/** What may be absent. */
export const optional =
  <Value>(form: Form<Value>): Form<Value | undefined> =>
  (value) =>
    value === undefined ? undefined : form(value);

/** What may be absent or null. */
export const nullish =
  <Value>(form: Form<Value>): Form<Value | null | undefined> =>
  (value) =>
    value === undefined || value === null ? value : form(value);

/** A list of these. */
export const listOf =
  <Value>(form: Form<Value>): Form<readonly Value[]> =>
  (value) => {
    if (!Array.isArray(value)) return new Misfit('not a list');
    const copy: Value[] = [];
    for (let index = 0; index < value.length; index++) {
      const member = form(value[index]);
      if (member instanceof Misfit) return member.below(String(index));
      copy.push(member);
    }
    return Object.freeze(copy);
  };

/** An object of these, whatever their names. */
export const recordOf =
  <Value>(form: Form<Value>): Form<Readonly<Record<string, Value>>> =>
  (value) =>
    readMembers(value, () => form) as Readonly<Record<string, Value>> | Misfit;

/** An object with these members and no others. */
export function objectOf<Value extends object>(forms: FormsOf<Value>): Form<Value> {
  const known = new Map<string, Form<unknown>>(Object.entries(forms));
  const required = [...known.keys()].filter((name) => known.get(name)?.(undefined));
  const formOf = (name: string): Form<unknown> | undefined => known.get(name);
  return (value) => {
    const copy = readMembers(value, formOf);
    if (copy instanceof Misfit) return copy;
    const missing = required.find((name) => !Object.hasOwn(copy, name));
    return missing === undefined ? (copy as Value) : new Misfit('missing', [missing]);
  };
}

function readMembers(
  value: unknown,
  formOf: (name: string) => Form<unknown> | undefined,
): object | Misfit {
  if (!isRecord(value)) return new Misfit('not an object');
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) {
    const form = formOf(name);
    if (!form) return new Misfit('unknown', [name]);
    const member = form(copy[name]);
    if (member instanceof Misfit) return member.below(name);
    if (typeof member === 'object') copy[name] = member;
  }
  return Object.freeze(copy);
}
