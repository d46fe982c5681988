import type { ChangeRows } from './change-rows.ts';
import { type RowWrite, weightOf } from './row-writes.ts';

type RowsOfChange = Pick<ChangeRows, 'writes' | 'closings'>;

/** Writes of one transaction, with room for the state, heads, messages and what callers add. */
export const ROOM = 60;
/** Writes of one chunk of a rest. */
const CHUNK = 90;
/** Bytes of the writes of one transaction: an item has up to 300 KB, and 4 MB is the limit. */
const ROOM_BYTES = 2_000_000;

/** Whether one transaction takes the writes besides what else is in it. */
export const fits = (writes: readonly RowWrite[], room: number): boolean =>
  writes.reduce((sum, write) => sum + weightOf(write), 0) <= Math.min(ROOM, room) &&
  writes.reduce((sum, write) => sum + bytesOf(write), 0) <= ROOM_BYTES;

/** The writes of a change in the order in which one transaction takes them. */
export const inOneGo = ({ writes, closings }: RowsOfChange): RowWrite[] => [
  ...writes,
  ...closings.flatMap(({ taskId, closing, rows }): RowWrite[] => [
    { kind: 'close', taskId, closing },
    { kind: 'unlist', taskId, from: 0, count: rows },
  ]),
];

/**
 * The writes of a change, a transaction each. Tasks are ended first; whoever reads a task as ended may delete its rows, as
 * often as they are read.
 */
export function inChunks({ writes, closings }: RowsOfChange): RowWrite[][] {
  const ending = closings.map(
    ({ taskId, closing }): RowWrite => ({ kind: 'close', taskId, closing }),
  );
  const deleting = closings.flatMap(({ taskId, rows }) => unlisted(taskId, rows));
  const chunks: RowWrite[][] = [];
  for (const part of [ending, [...deleting, ...writes]]) chunks.push(...packChunks(part));
  return chunks;
}

function unlisted(taskId: string, rows: number): RowWrite[] {
  const parts: RowWrite[] = [];
  for (let from = 0; from < rows; from += CHUNK) {
    parts.push({ kind: 'unlist', taskId, from, count: Math.min(CHUNK, rows - from) });
  }
  return parts;
}

function packChunks(writes: readonly RowWrite[]): RowWrite[][] {
  const chunks: RowWrite[][] = [];
  let weight = CHUNK;
  let bytes = 0;
  for (const write of writes) {
    const size = bytesOf(write);
    if (weight + weightOf(write) > CHUNK || bytes + size > ROOM_BYTES) {
      chunks.push([]);
      weight = 0;
      bytes = 0;
    }
    chunks.at(-1)?.push(write);
    weight += weightOf(write);
    bytes += size;
  }
  return chunks;
}

/** About how many bytes a write takes in a transaction. */
function bytesOf(write: RowWrite): number {
  if (write.kind === 'announce') return Buffer.byteLength(JSON.stringify(write.announcement));
  if (write.kind !== 'put') return 500;
  const { zip } = write.item;
  const binary = zip instanceof Uint8Array ? zip.length * 1.4 : 0;
  return binary + Buffer.byteLength(JSON.stringify({ ...write.item, zip: undefined }));
}
