import { hash } from 'node:crypto';
import type { EntityModel } from '../definitions/model.ts';
import { isJsonObject, type JsonObject } from '../entity/json.ts';
import type { RecordHeader } from '../entity/record.ts';

/** A value above this size (bytes) is stored separately from its record. */
const MAX_INLINE_BYTES = 4_096;
/** All inline values together at most: an item holds 400 KB. */
const MAX_HEADER_BYTES = 200_000;

/** Values that are stored each by itself, and the bytes of those that are stored in items. */
const MAX_APART = 20;
const MAX_APART_BYTES = 1_000_000;
/** A text above this many bytes does not fit an item and goes to the bucket. */
export const MAX_ITEM_BYTES = 300_000;
/** Name under which all further large values of a record are stored together, as members of one object. */
export const BUNDLE = '~more';

/** A stored record and its large values as JSON texts. */
interface SplitRecord {
  readonly stored: RecordHeader;
  readonly large: ReadonlyMap<string, string>;
}

/** A record without its large values, and what becomes of those. */
export interface LargeChange {
  readonly stored: RecordHeader;
  /** Texts by name. */
  readonly changed: readonly (readonly [string, string])[];
  readonly gone: readonly string[];
  /** Objects of the bucket that hold them no longer. */
  readonly replaced: readonly string[];
  /** Writes of a transaction. */
  readonly writes: number;
}

/** What becomes of the large values of a record. @param sealed the record afterwards, as it is stored */
export function changeLarge(
  before: RecordHeader | undefined,
  after: RecordHeader,
  sealed: RecordHeader,
): LargeChange {
  const { stored, large } = splitLarge(sealed);
  const changed = [...large].filter(([name]) => !staysLarge(name, before, after));
  const gone = (before?.spilled ?? []).filter((name) => !large.has(name));
  const replaced = [...changed.map(([name]) => name), ...gone].flatMap(
    (name) => before?.objects?.[name] ?? [],
  );
  // Objects have an entry of work each until the commit.
  const writes = 2 * changed.length + gone.length + (replaced.length > 0 ? 1 : 0);
  const digests = [...large].flatMap(([name, text]) => {
    const kept = staysLarge(name, before, after);
    const digest = kept ? before?.digests?.[name] : digestOf(text);
    return digest === undefined ? [] : [[name, digest]];
  });
  const withDigests = {
    ...stored,
    ...(digests.length > 0 && { digests: Object.fromEntries(digests) }),
  };
  return { stored: withDigests, changed, gone, replaced, writes };
}

/** The digest of a stored text; none where it fits no item. */
export const digestOf = (text: string): string | undefined =>
  Buffer.byteLength(text) <= MAX_ITEM_BYTES
    ? hash('sha256', text, 'base64url').slice(0, 16)
    : undefined;

/** Whether what is stored of a large value is right for the next version, too. */
function staysLarge(name: string, before: RecordHeader | undefined, after: RecordHeader): boolean {
  return (
    name !== BUNDLE &&
    before?.spilled?.includes(name) === true &&
    before.generation === after.generation &&
    JSON.stringify(before.values[name]) === JSON.stringify(after.values[name])
  );
}

/** Takes the large values out of a record. */
function splitLarge(header: RecordHeader): SplitRecord {
  const texts = Object.entries(header.values)
    .filter(([, value]) => value !== undefined)
    .map(([code, value]) => ({ code, text: JSON.stringify(value) }))
    .map((entry) => ({
      ...{ ...entry, bytes: Buffer.byteLength(entry.text) },
      // An open-ended record may have many long names, and so may fields that are gone.
      nameBytes: Buffer.byteLength(JSON.stringify(entry.code)),
    }));
  let inlineBytes = texts.reduce((sum, { bytes, nameBytes }) => sum + bytes + nameBytes, 0);
  if (inlineBytes <= MAX_INLINE_BYTES) return { stored: withoutSpill(header), large: new Map() };
  const large = new Map<string, string>();
  for (const { code, text, bytes, nameBytes } of texts.sort(
    (one, other) => other.bytes - one.bytes,
  )) {
    if (bytes <= MAX_INLINE_BYTES && inlineBytes <= MAX_HEADER_BYTES) break;
    large.set(code, text);
    inlineBytes -= bytes + nameBytes;
  }
  if (large.size === 0) return { stored: withoutSpill(header), large };
  const apart = bundled(large);
  const inline = Object.entries(header.values).filter(([code]) => !large.has(code));
  const values = Object.fromEntries(inline);
  const stored = { ...withoutSpill(header), values, spilled: [...apart.keys()] };
  return { stored, large: apart };
}

/** Bundles values so that one transaction can replace all of them: the first ones are stored each by itself, the others together. */
function bundled(large: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const apart = new Map<string, string>();
  const others: Record<string, unknown> = {};
  let bytes = 0;
  for (const [code, text] of large) {
    const size = Buffer.byteLength(text);
    const more = size > MAX_ITEM_BYTES ? 0 : size;
    if (apart.size < MAX_APART && bytes + more <= MAX_APART_BYTES) {
      apart.set(code, text);
      bytes += more;
    } else {
      others[code] = JSON.parse(text);
    }
  }
  if (Object.keys(others).length > 0) apart.set(BUNDLE, JSON.stringify(others));
  return apart;
}

/** About how many bytes the values of a record take in an answer, if some of them are large; else 0. */
export const largeBytes = ({ spilled = [] }: RecordHeader, shown: unknown): number =>
  spilled.length > 0 ? JSON.stringify(shown).length : 0;

/** Whether a record that was read lacks large values that some fields may have. */
export const lacksLarge = (
  model: EntityModel,
  header: RecordHeader,
  fields: ReadonlySet<string> | undefined,
): boolean => lacking(model, asStored(header), fields).length > 0;

/** The large values of a stored record that it was read without, of those that some fields may have. */
export const lacking = (
  model: EntityModel,
  stored: RecordHeader,
  fields: ReadonlySet<string> | undefined,
): readonly string[] =>
  largeOf(model, stored, fields).filter((name) => !Object.hasOwn(stored.values, name));

/** The large values of a record that some fields may have. */
export function largeOf(
  model: EntityModel,
  { values, spilled = [], generation }: RecordHeader,
  fields: ReadonlySet<string> | undefined,
): readonly string[] {
  // A value of an older generation may have the name of another field.
  const isPast = model.life.steps.some((step) => step.generation > generation);
  if (!fields || isPast) return spilled;
  const isBundled = (code: string): boolean =>
    model.field(code) !== undefined && !Object.hasOwn(values, code) && !spilled.includes(code);
  return spilled.filter(
    (name) => fields.has(name) || (name === BUNDLE && [...fields].some(isBundled)),
  );
}

/** A record as it was before its values followed the definition. */
export function asStored(header: RecordHeader): RecordHeader {
  const { stored, sealed: _sealed, ...rest } = header;
  if (!stored) return header;
  const { values, sealed, isListed } = stored;
  return { ...rest, values, ...(isListed && { sealed }) };
}

/** Whether a record was read with large values. */
export const holdsLarge = ({ spilled = [], stored }: RecordHeader): boolean =>
  spilled.some((name) => stored !== undefined && Object.hasOwn(stored.values, name));

/** A record without its large values, as it takes little memory: they are read again for who needs them. */
export function withoutLarge(header: RecordHeader): RecordHeader {
  const { spilled = [], stored, values } = header;
  if (spilled.length === 0) return header;
  const kept = { ...header, values: small(values) };
  return stored ? { ...kept, stored: { ...stored, values: small(stored.values) } } : kept;
}

const small = (values: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => Buffer.byteLength(JSON.stringify(value) ?? '') <= MAX_INLINE_BYTES,
    ),
  );

/** The values that a stored text holds, by field. */
export function unbundled(name: string, text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return name === BUNDLE && isJsonObject(value) ? value : { [name]: value };
}

function withoutSpill({
  spilled: _spilled,
  digests: _digests,
  ...header
}: RecordHeader): RecordHeader {
  return header;
}
