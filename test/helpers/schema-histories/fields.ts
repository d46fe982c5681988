import { randomOf } from './random.ts';

/** Kinds of fields, each with values that meet often. */
const VALUES = {
  text: ['An', 'AN', 'Bình', 'Cường', 'zeta one'],
  choice: ['open', 'wip', 'closed'],
  flag: [true, false],
  whole: [0, 1, 2, 30],
  number: [0, 1.5, -2, 30],
  day: ['2026-01-02', '2026-01-03'],
  instant: ['2026-01-02T00:00:00Z', '2026-05-05T10:00:00Z'],
  list: [['An'], ['Bình', 'Cường'], ['zeta one']],
  long: ['short', 'l'.repeat(5_000), 'm'.repeat(5_000)],
  essay: [
    'apple',
    'Pear '.repeat(1_000),
    `${'plum '.repeat(4_000)} needle`,
    `quince ${'fig '.repeat(80_000)}`,
    ...(process.env.SCHEMA_HUGE ? ['lime '.repeat(700_000)] : []),
  ],
} satisfies Readonly<Record<string, readonly unknown[]>>;

export type Kind = keyof typeof VALUES;

/** Kinds that values may become, as the documentation says. */
const WIDER: Readonly<Record<Kind, readonly Kind[]>> = {
  text: ['list', 'long'],
  choice: ['text'],
  flag: ['text'],
  whole: ['number', 'text'],
  number: ['text'],
  day: ['instant', 'text'],
  instant: ['text'],
  list: [],
  long: [],
  essay: ['text'],
};

/** A field as a form schema declares it. */
export interface Field {
  readonly code: string;
  readonly kind: Kind;
  readonly encrypted: boolean;
  readonly searchable: boolean;
  readonly facet: boolean;
  readonly unique: boolean;
  readonly words: boolean;
  readonly required: boolean;
  readonly default?: unknown;
  readonly from?: string;
  readonly max?: number;
}

/** The form schema of an entity. */
export interface Form {
  readonly fields: readonly Field[];
  readonly pair: boolean;
}

/** What becomes of stored values with a form. */
export interface Conversion {
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  readonly defaults: readonly { readonly code: string; readonly value: unknown }[];
  readonly kinds: readonly { readonly code: string; readonly kind: Kind }[];
}

const PLAIN = { encrypted: false, facet: true, unique: false, words: false, required: false };

export const FIRST_FORM: Form = {
  pair: false,
  fields: [
    { ...PLAIN, code: 'a', kind: 'text', searchable: true },
    { ...PLAIN, code: 'b', kind: 'choice', searchable: true },
    { ...PLAIN, code: 'c', kind: 'whole', searchable: true },
    { ...PLAIN, code: 'd', kind: 'flag', searchable: false },
    { ...PLAIN, code: 'e', kind: 'day', searchable: true },
  ],
};

/** The same with long texts. */
export const LONG_FORM: Form = {
  ...FIRST_FORM,
  fields: [
    ...FIRST_FORM.fields,
    { ...PLAIN, code: 'f', kind: 'essay', searchable: true },
    { ...PLAIN, code: 'g', kind: 'essay', searchable: false },
  ],
};

const isPlain = ({ encrypted, kind }: Field): boolean => !encrypted && kind !== 'long';
/** Whether lists may filter by a field. */
export const isSearchable = (field: Field): boolean =>
  isPlain(field) && (field.searchable || field.unique);
/** Whether records are counted by a field. */
export const isFacet = (field: Field): boolean =>
  isSearchable(field) && field.facet && (field.kind === 'choice' || field.kind === 'flag');
export const isUnique = (field: Field): boolean =>
  field.unique && isPlain(field) && field.kind !== 'list';
export const anyOf = (kind: Kind, random: () => number): unknown =>
  randomOf<unknown>(VALUES[kind], random);
export const valuesOf = (kind: Kind): readonly unknown[] => VALUES[kind];

/** Changes that concern fields that are gone, and long texts. */
function pastActions(
  form: Form,
  { at, field }: { readonly at: number; readonly field: Field },
  { random, next, past }: ChangeContext & { readonly past: readonly Field[] },
): (() => Form)[] {
  const put = (change: Partial<Field>): Form => ({
    ...form,
    fields: form.fields.with(at, { ...field, ...change }),
  });
  const present = new Set(form.fields.map(({ code }) => code));
  const gone = randomOf(
    past.filter(({ code }) => !present.has(code)),
    random,
  );
  const other = randomOf(
    form.fields.filter((each) => each !== field),
    random,
  );
  const { code } = field;
  return [
    () => {
      if (!gone) return form;
      const { code: old, kind, searchable } = gone;
      const back = { ...PLAIN, code: old, kind, searchable, encrypted: random() < 0.4 };
      return { ...form, fields: [...form.fields, back] };
    },
    () => (gone ? put({ code: gone.code, from: code }) : form),
    () => ({
      ...form,
      fields: form.fields
        .filter((each) => each !== field)
        .map((each) => (each === other ? { ...each, from: code } : each)),
    }),
    () => {
      const { default: _default, ...rest } = field;
      const kind = { text: 'essay', essay: 'text' }[field.kind as string] as Kind | undefined;
      const retyped = { ...rest, kind: kind ?? rest.kind, required: false };
      return { ...form, fields: form.fields.with(at, retyped) };
    },
    () => {
      const { max, ...rest } = field;
      return max === undefined ? put({ max: 10 }) : { ...form, fields: form.fields.with(at, rest) };
    },
    () => ({
      ...form,
      fields: [
        ...form.fields,
        { ...PLAIN, code: `x${next}`, kind: 'essay' as const, searchable: random() < 0.5 },
      ],
    }),
  ];
}

interface ChangeContext {
  readonly random: () => number;
  readonly next: number;
}

/** A form with one change, as people make them. @param past fields that there were; then with changes that concern them */
export function changedForm(
  form: Form,
  random: () => number,
  next: number,
  past?: readonly Field[],
): Form {
  const at = Math.floor(random() * form.fields.length);
  const field = form.fields[at];
  if (!field) return form;
  const put = (change: Partial<Field>): Form => ({
    ...form,
    fields: form.fields.with(at, { ...field, ...change }),
  });
  const actions: (() => Form)[] = [
    () => put({ encrypted: !field.encrypted, unique: false }),
    () => put({ encrypted: !field.encrypted, unique: false }),
    () => put({ searchable: !field.searchable }),
    () => put({ facet: !field.facet }),
    () => put({ unique: !field.unique && !field.encrypted && field.kind !== 'list' }),
    () => put({ words: !field.words }),
    () => put({ required: !field.required, default: anyOf(field.kind, random) }),
    () => put({ default: anyOf(field.kind, random) }),
    () => put({ code: `${field.code[0]}${next}`, from: field.code }),
    () => {
      const kind = randomOf(WIDER[field.kind], random);
      const { default: _default, ...rest } = field;
      return kind
        ? {
            ...form,
            fields: form.fields.with(at, { ...rest, kind, required: false, unique: false }),
          }
        : form;
    },
    () => ({ ...form, pair: !form.pair }),
    () => ({ ...form, fields: form.fields.filter((each) => each !== field) }),
    () => ({
      ...form,
      fields: [...form.fields, { ...PLAIN, code: 'b', kind: 'choice' as const, searchable: true }],
    }),
    () => ({ ...form, fields: [...form.fields] }),
    ...(past ? pastActions(form, { at, field }, { random, next, past }) : []),
  ];
  const changed = randomOf(actions, random)?.() ?? form;
  const codes = changed.fields.map(({ code }) => code);
  return new Set(codes).size === codes.length && codes.length > 0 ? changed : form;
}

/** What a form does to the values that are stored. */
export function conversionOf(
  before: Form,
  after: Form,
  known: ReadonlyMap<string, Kind> = new Map(),
): Conversion {
  const past = new Map(before.fields.map((field) => [field.code, field]));
  const kindOf = (code: string): Kind | undefined => past.get(code)?.kind ?? known.get(code);
  const present = new Set(after.fields.map(({ code }) => code));
  const moved = after.fields.filter(
    ({ code, from }) => from !== undefined && !present.has(from) && past.get(code)?.from !== from,
  );
  const isGiven = (field: Field | undefined): boolean =>
    field?.required === true && field.default !== undefined;
  return {
    moves: moved.map(({ code: to, from = '' }) => ({ from, to })),
    defaults: after.fields
      .filter((field) => isGiven(field) && !isGiven(past.get(field.code)))
      .map(({ code, default: value }) => ({ code, value })),
    kinds: after.fields
      .filter(({ code, kind }) => {
        const origin = moved.find((each) => each.code === code)?.from ?? '';
        return [kindOf(code), kindOf(origin)].some((old) => old && old !== kind);
      })
      .map(({ code, kind }) => ({ code, kind })),
  };
}

/** Values as a later form reads them. */
export function converted(
  values: Readonly<Record<string, unknown>>,
  { moves, defaults, kinds }: Conversion,
): Record<string, unknown> {
  const next = { ...values };
  for (const { from, to } of moves) {
    if (to in next || !(from in next)) continue;
    next[to] = next[from];
    delete next[from];
  }
  for (const { code, value } of defaults) next[code] ??= value;
  for (const { code, kind } of kinds) if (code in next) next[code] = widened(next[code], kind);
  return next;
}

function widened(value: unknown, kind: Kind): unknown {
  if (kind === 'list') return Array.isArray(value) ? value : [value];
  if (kind === 'instant' && String(value).length === 10) return `${value}T00:00:00Z`;
  const isText = kind !== 'flag' && kind !== 'whole' && kind !== 'number';
  return isText && (typeof value === 'number' || typeof value === 'boolean')
    ? String(value)
    : value;
}

const TYPES: Readonly<Record<Kind, object>> = {
  text: { type: 'string' },
  choice: { type: 'string', enum: VALUES.choice },
  flag: { type: 'boolean' },
  whole: { type: 'integer' },
  number: { type: 'number' },
  day: { type: 'string', format: 'date' },
  instant: { type: 'string', format: 'date-time' },
  list: { type: 'array', items: { type: 'string' } },
  long: { type: 'string', maxLength: 10_000 },
  essay: { type: 'string', format: 'textarea' },
};

/** The form schema of a form; `name` tells records apart. */
export function schemaOf({ fields, pair }: Form): object {
  const pairable = fields.filter(
    ({ kind, ...field }) => kind !== 'list' && isSearchable({ kind, ...field }),
  );
  const required = fields.filter((field) => field.required).map(({ code }) => code);
  return {
    type: 'object',
    required: ['name', ...required],
    'x-label': 'name',
    ...(pair &&
      pairable.length > 1 && { 'x-indexes': [pairable.slice(0, 2).map(({ code }) => code)] }),
    properties: {
      name: { type: 'string' },
      ...Object.fromEntries(fields.map((field) => [field.code, propertyOf(field)])),
    },
  };
}

function propertyOf(field: Field): object {
  const { kind, encrypted, searchable, facet, unique, words, from, max } = field;
  return {
    ...TYPES[kind],
    ...(field.default !== undefined && { default: field.default }),
    ...(encrypted && { 'x-encrypted': true }),
    ...(!searchable && { 'x-searchable': false }),
    ...(searchable && kind === 'essay' && { 'x-searchable': true }),
    ...(max !== undefined && kind === 'essay' && { maxLength: max }),
    ...(!facet && { 'x-facet': false }),
    ...(isUnique({ ...field, unique }) && { 'x-unique': true }),
    ...(words && !encrypted && kind === 'text' && { 'x-search': true }),
    ...(from !== undefined && { 'x-renamed-from': from }),
  };
}
