import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { SaveSink } from '../../../../functions/editor/downloads/save-sink.ts';
import type { FileLinks } from '../../../../shared/files/file-links.ts';
import { HostFiles } from '../../../../shared/files/host-files.ts';
import { documentStorage } from '../../../helpers/editor/document-storage.ts';

const PATH = 'documents/plan.docx';
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A sink that keeps 100 bytes in memory and writes parts of 40. */
function aSink() {
  const storage = documentStorage();
  const parts: number[] = [];
  const { put } = storage;
  storage.put = async (path, body, contentType) => {
    if (path.includes('.part-')) parts.push(body.length);
    return put(path, body, contentType);
  };
  const files = new HostFiles(storage, {} as FileLinks);
  const limits = { mostInMemory: 100, partBytes: 40 };
  const sink = new SaveSink({ files, path: async () => PATH, contentType: 'x', ...limits });
  const take = (bytes: Buffer, chunk: number) =>
    pipeline(Readable.from(chunksOf(bytes, chunk)), sink.writable());
  return { storage, files, sink, parts, take };
}

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const content = (length: number) => Buffer.from(Array.from({ length }, (_, at) => at % 251));

describe('a download', () => {
  it('is in memory up to the limit', async () => {
    const { sink, take, parts } = aSink();

    await take(content(100), 7);

    const hash = hashOf(content(100));
    expect(await sink.arrived()).toEqual({ kind: 'whole', bytes: content(100), hash });
    expect(parts).toEqual([]);
  });

  it('goes to the storage in parts beyond it, and never more than the limit is held', async () => {
    const { sink, take, parts, files, storage } = aSink();

    await take(content(333), 7);
    const arrived = await sink.arrived();

    expect(arrived).toMatchObject({
      ...{ kind: 'parts', sizeBytes: 333, hash: hashOf(content(333)) },
    });
    expect(Math.max(...parts)).toBeLessThanOrEqual(107);
    expect(parts.slice(1, -1).every((size) => size >= 40 && size < 47)).toBe(true);
    expect(storage.files.has(PATH)).toBe(false);
    if (arrived.kind !== 'parts') throw new Error('It is whole');
    await files.finishParts(arrived.file);
    expect([...storage.files.keys()]).toEqual([PATH]);
    expect(Buffer.from(storage.files.get(PATH) ?? [])).toEqual(content(333));
  });

  it('leaves nothing when it is given up', async () => {
    const { sink, take, parts, storage } = aSink();

    await take(content(333), 7);
    await sink.drop();

    expect(parts.length).toBeGreaterThan(2);
    expect([...storage.files.keys()]).toEqual([]);
  });
});
