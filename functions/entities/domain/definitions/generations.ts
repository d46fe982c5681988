import type { EntityDefinition } from '../entity/entity.ts';
import type { FieldDefinition, IndexDefinition, UniqueConstraint } from '../entity/field.ts';
import type { ConversionStep, EntityLife, FieldCounter, GoneField } from '../entity/life.ts';
import { isDefaulted, isRetyped } from '../schema/compare.ts';

/** How the records of an entity follow its definition; of an earlier version of the module as that one had it. */
export function lifeOf(
  definition: Pick<EntityDefinition, 'life' | 'schemaVersion' | 'fields'>,
): EntityLife {
  const { life, schemaVersion: generation, fields } = definition;
  if (life) return life;
  const steps = generation > 1 ? [stepOfAll(fields, generation)] : [];
  const counters = Object.fromEntries(
    fields
      .filter(({ facet }) => facet)
      .map(({ code, facetSince = 1 }) => [code, { name: code, since: facetSince }]),
  );
  return { generation, filled: generation, counters, totals: { since: 1 }, steps, builds: [] };
}

/** All conversions that a definition of an earlier version stands for. */
function stepOfAll(fields: readonly FieldDefinition[], generation: number): ConversionStep {
  return {
    generation,
    renamed: fields.flatMap(({ code, renamedFrom }) =>
      renamedFrom === undefined ? [] : [{ from: renamedFrom, to: code }],
    ),
    defaults: defaultsOf(fields),
    retyped: fields.map(typeOf),
    sealed: [],
    opened: [],
  };
}

/** Codes of fields that became encrypted in conversions up to a generation, with all codes that they had before. */
export function sealedCodes(
  { life, fields }: { readonly life: EntityLife; readonly fields: readonly FieldDefinition[] },
  generation: number,
): ReadonlySet<string> {
  const sealed = new Set(
    life.steps.flatMap((step) => (step.generation <= generation ? step.sealed : [])),
  );
  const former = fields.filter(({ code }) => sealed.has(code));
  return new Set([...sealed, ...former.flatMap(({ formerCodes = [] }) => formerCodes)]);
}

/** A definition before a change of its form. */
type Past = Pick<EntityDefinition, 'life' | 'fields' | 'layout'>;

/** A field with those whose stored values it has: of its own code, and of the one that it is renamed from by the change. */
export interface Inherited {
  readonly field: FieldDefinition;
  readonly olds: readonly GoneField[];
  /** Whether there may be values of no field that is known: members of open-ended records. */
  readonly isOpen: boolean;
}

/** The fields after a change with those whose values they have. */
export function inherited(before: Past, after: readonly FieldDefinition[]): readonly Inherited[] {
  const stored = new Map<string, GoneField>(
    [...(before.life?.gone ?? []), ...before.fields].map((field) => [field.code, field]),
  );
  const renamed = new Map(renames(before, after).map(({ from, to }) => [to, from]));
  return after.map((field) => {
    const from = renamed.get(field.code);
    const all = [field.code, ...(from === undefined ? [] : [from])].map((code) => stored.get(code));
    const olds = all.filter((old) => old !== undefined);
    return { field, olds, isOpen: wasOpen(before) && olds.length < all.length };
  });
}

/** Values that a change moves to another code. A keyword that is kept moves them once. */
function renames({ fields }: Past, after: readonly FieldDefinition[]): ConversionStep['renamed'] {
  const past = new Map(fields.map((field) => [field.code, field]));
  const present = new Set(after.map(({ code }) => code));
  return after.flatMap(({ code: to, renamedFrom: from }) =>
    from === undefined || present.has(from) || past.get(to)?.renamedFrom === from
      ? []
      : [{ from, to }],
  );
}

const wasOpen = ({ life, layout }: Past): boolean => layout.openEnded || life?.wasOpen === true;

/** How values of records must be converted from one state of the fields to the next; `undefined` when nothing changes. */
export function stepBetween(
  before: Past,
  after: readonly FieldDefinition[],
  generation: number,
): ConversionStep | undefined {
  const past = new Map(before.fields.map((field) => [field.code, field]));
  const all = inherited(before, after);
  const renamed = renames(before, after);
  const codes = (
    isOf: (field: FieldDefinition, old: Pick<GoneField, 'encrypted'>) => boolean,
  ): string[] =>
    all
      .filter(({ field, olds, isOpen }) =>
        [...olds, ...(isOpen ? [MEMBER] : [])].some((old) => isOf(field, old)),
      )
      .map(({ field }) => field.code);
  const retyped = all.filter(({ field, olds }) => olds.some((old) => isRetyped(old, field)));
  const step: ConversionStep = {
    generation,
    renamed,
    defaults: defaultsOf(after.filter(({ code }) => !isDefaulted(past.get(code)))),
    retyped: retyped.map(({ field }) => typeOf(field)),
    sealed: codes((field, old) => field.encrypted && !old.encrypted),
    opened: codes((field, old) => !field.encrypted && old.encrypted),
  };
  const { defaults, sealed, opened } = step;
  const changes = [...renamed, ...Object.keys(defaults), ...retyped, ...sealed, ...opened];
  return changes.length > 0 ? step : undefined;
}

/** What is known of a member of an open-ended record. */
const MEMBER = { encrypted: false } as const;

const typeOf = ({ code, fieldType, dataType }: FieldDefinition) => ({ code, fieldType, dataType });

function defaultsOf(fields: readonly FieldDefinition[]): Record<string, unknown> {
  return Object.fromEntries(fields.filter(isDefaulted).map((field) => [field.code, field.default]));
}

/** The generation since which records have rows in an index: part of its name, but for the first. */
export const sinceOf = ({ name }: Pick<IndexDefinition, 'name'>): number =>
  Number(/@(\d+)$/.exec(name)?.[1] ?? 1);

/** Whether a record of a generation has rows in an index. */
export const hasRows = (index: IndexDefinition, generation: number): boolean =>
  index.state === 'READY' || sinceOf(index) <= generation;

/** Whether a record of a generation holds the values of a constraint. */
export const hasClaims = (
  { state, since = 1, until = Number.POSITIVE_INFINITY }: UniqueConstraint,
  generation: number,
): boolean => (state === 'READY' || since <= generation) && generation < until;

/** Under which name the values of a constraint are claimed: one that was declared anew has another one. */
export const claimsName = ({ name, since = 1 }: Pick<UniqueConstraint, 'name' | 'since'>): string =>
  nameAt(name, since);

/** The counters of fields: those that count the same go on, others begin anew. */
export function countersOf(
  fields: readonly FieldDefinition[],
  past: EntityLife['counters'],
  isRenewed: (code: string) => boolean,
  generation: number,
): EntityLife['counters'] {
  const counted = fields.filter(({ facet }) => facet).map(({ code }) => code);
  const begun = (code: string): FieldCounter => ({
    name: nameAt(code, generation),
    since: generation,
  });
  return Object.fromEntries(
    counted.map((code) => [code, (!isRenewed(code) && past[code]) || begun(code)]),
  );
}

/** A name that begins in a generation. */
const nameAt = (name: string, generation: number): string =>
  generation === 1 ? name : `${name}@${generation}`;

/** Names of the counters of live and of deleted records that begin in a generation. */
export const totalNames = (since: number) => ({
  live: nameAt('n', since),
  deleted: nameAt('d', since),
});

/** The generation that counters begin in, by their name. */
export const counterSince = (name: string): number => Number(/@(\d+)(?:=|$)/.exec(name)?.[1] ?? 1);

/** Most fields that are remembered; the oldest are forgotten. */
const MAX_GONE = 1_000;

/** What is remembered of the fields before a change. */
export function pastFields(
  before: Past,
  after: readonly FieldDefinition[],
): Pick<EntityLife, 'gone' | 'numberFormats' | 'wasOpen'> {
  const formats = numberFormatsOf(before);
  return {
    gone: goneFields(before, after),
    ...(wasOpen(before) && { wasOpen: true }),
    ...(formats.size > 0 && { numberFormats: Object.fromEntries(formats) }),
  };
}

/** The fields that are gone after a change; the values of a renamed one go on under its new code, unless that had some. */
function goneFields(before: Past, after: readonly FieldDefinition[]): readonly GoneField[] {
  const past = [...(before.life?.gone ?? []), ...before.fields];
  const taken = new Set(past.map(({ code }) => code));
  const moved = renames(before, after).filter(({ to }) => !taken.has(to) && !wasOpen(before));
  const present = new Set([...after.map(({ code }) => code), ...moved.map(({ from }) => from)]);
  const fields = new Map<string, GoneField>();
  for (const field of past) {
    fields.delete(field.code);
    if (!present.has(field.code)) fields.set(field.code, goneField(field));
  }
  return [...fields.values()].slice(-MAX_GONE);
}

const goneField = ({
  code,
  fieldType,
  elementType,
  dataType,
  encrypted,
  writeOnly,
  numberFormat,
  formerCodes,
}: GoneField): GoneField => ({
  ...{ code, fieldType, dataType, encrypted },
  ...(writeOnly && { writeOnly }),
  ...(formerCodes && { formerCodes }),
  ...(elementType && { elementType }),
  ...(numberFormat && { numberFormat }),
});

/** The formats that numbered fields have and had, by code; a field that is gone may come back with its values. */
export function numberFormatsOf({
  life,
  fields,
}: Pick<EntityDefinition, 'life' | 'fields'>): ReadonlyMap<string, readonly string[]> {
  const formats = new Map(Object.entries(life?.numberFormats ?? {}));
  for (const { code, numberFormat } of fields) {
    if (numberFormat === undefined) continue;
    formats.set(code, [...new Set([...(formats.get(code) ?? []), numberFormat])]);
  }
  return formats;
}
