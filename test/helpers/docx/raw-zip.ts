import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of an archive, with what may be wrong with it. */
export interface RawEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly declaredSize?: number;
  readonly declaredCompressedSize?: number;
  readonly crc?: number;
  readonly attributes?: number;
  /** The offset of its local header; where it stands when left out. */
  readonly offset?: number;
  /** The bytes of its data as they are stored. */
  readonly data?: Uint8Array;
}

/** A ZIP archive written field by field (APPNOTE 4.3), so that each of them can lie. */
export function rawZip(
  entries: readonly RawEntry[],
  end: { count?: number; disk?: number } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const fields = fieldsOf(entry);
    const local = localHeader(fields);
    directory.push(directoryHeader(entry, fields, entry.offset ?? at));
    parts.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const tail = Buffer.alloc(22);
  tail.writeUInt32LE(0x06054b50, 0);
  tail.writeUInt16LE(end.disk ?? 0, 4);
  tail.writeUInt16LE(end.count ?? entries.length, 8);
  tail.writeUInt16LE(end.count ?? entries.length, 10);
  tail.writeUInt32LE(central.length, 12);
  tail.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, central, tail]);
}

interface Fields {
  readonly name: Buffer;
  readonly data: Uint8Array;
  readonly common: Buffer;
}

function fieldsOf(entry: RawEntry): Fields {
  const content = Buffer.from(entry.content);
  const data = entry.data ?? (entry.method === 0 ? content : deflateRawSync(content));
  const name = Buffer.from(entry.name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(entry.flags ?? 0, 2);
  common.writeUInt16LE(entry.method ?? 8, 4);
  common.writeUInt32LE(0x0021_0000, 6);
  common.writeUInt32LE(entry.crc ?? crc32(content), 10);
  common.writeUInt32LE(entry.declaredCompressedSize ?? data.length, 14);
  common.writeUInt32LE(entry.declaredSize ?? content.length, 18);
  common.writeUInt16LE(name.length, 22);
  return { name, data, common };
}

function localHeader({ name, data, common }: Fields): Buffer {
  return Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, name, data]);
}

function directoryHeader(entry: RawEntry, { name, common }: Fields, offset: number): Buffer {
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(entry.attributes ?? 0, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([
    Buffer.from('PK\u0001\u0002', 'latin1'),
    Buffer.from([20, 0]),
    common,
    rest,
    name,
  ]);
}
