import type { RecordHeader } from '../entity/record.ts';

/** A value above this size (bytes) is stored separately from its record. */
const MAX_INLINE_BYTES = 4_096;
/** All inline values together at most: an item holds 400 KB. */
const MAX_HEADER_BYTES = 200_000;

/** A stored record and its large values as JSON texts. */
export interface SplitRecord {
  readonly stored: RecordHeader;
  readonly large: ReadonlyMap<string, string>;
}

/** Takes the large values out of a record. */
export function splitLarge(header: RecordHeader): SplitRecord {
  const texts = Object.entries(header.values)
    .filter(([, value]) => value !== undefined)
    .map(([code, value]) => ({ code, text: JSON.stringify(value) }))
    .map((entry) => ({ ...entry, bytes: Buffer.byteLength(entry.text) }));
  let inlineBytes = texts.reduce((sum, { bytes }) => sum + bytes, 0);
  if (inlineBytes <= MAX_INLINE_BYTES) return { stored: withoutSpill(header), large: new Map() };
  const large = new Map<string, string>();
  for (const { code, text, bytes } of texts.sort((one, other) => other.bytes - one.bytes)) {
    if (bytes <= MAX_INLINE_BYTES && inlineBytes <= MAX_HEADER_BYTES) break;
    large.set(code, text);
    inlineBytes -= bytes;
  }
  if (large.size === 0) return { stored: withoutSpill(header), large };
  const inline = Object.entries(header.values).filter(([code]) => !large.has(code));
  const stored = { ...header, values: Object.fromEntries(inline), spilled: [...large.keys()] };
  return { stored, large };
}

function withoutSpill({ spilled: _spilled, ...header }: RecordHeader): RecordHeader {
  return header;
}
