import { describe, expect, it } from 'vitest';
import { createFiles } from '../../../../shared/files/create-files.ts';
import { FileChangedError, PartReplacedError } from '../../../../shared/files/files.ts';
import { MAX_WHOLE_BYTES } from '../../../../shared/files/host-parts.ts';
import type { Storage } from '../../../../shared/ports/documents.ts';
import { memoryStorage, versionedStorage } from '../../../helpers/captured/memory-storage.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

const place = { path: '/files', keyPrefix: 'THING', baseUrl: () => 'https://api.example.com' };
const filesOf = (storage: Storage) => createFiles(aContext({ host: { storage } }), place).files;
const bytes = (text: string): Buffer => Buffer.from(text);

async function textOf(stream: AsyncIterable<Uint8Array> | undefined): Promise<string | undefined> {
  if (!stream) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A file in two parts. */
async function inParts(storage: Storage) {
  const files = filesOf(storage);
  const one = await files.writePart(await files.beginParts('big', 'text/plain'), bytes('one,'));
  return { files, file: await files.writePart(one, bytes('two')) };
}

describe('a storage with everything', () => {
  it('keeps old versions by their ids, until they are deleted', async () => {
    const files = filesOf(versionedStorage(100));
    const first = await files.write('a', bytes('first'), 'text/plain');
    await files.write('a', bytes('second'), 'text/plain');
    const id = first.versionId ?? '';

    expect(await files.facts('a', id)).toMatchObject({ sizeBytes: 5, versionId: id });
    expect(await textOf((await files.open('a', 2, id))?.bytes)).toBe('rst');
    expect(await textOf((await files.open('a'))?.bytes)).toBe('second');
    await files.deleteVersion('a', id);
    expect([await files.facts('a', id), await files.open('a', 0, id)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('writes over what is expected only, in its own step', async () => {
    const storage = versionedStorage(100);
    const files = filesOf(storage);
    const { etag } = await files.write('a', bytes('first'), '', 'absent');

    await expect(files.write('a', bytes('x'), '', 'absent')).rejects.toThrow(FileChangedError);
    await files.write('a', bytes('second'), '', { etag });
    await expect(files.write('a', bytes('x'), '', { etag })).rejects.toThrow(FileChangedError);

    expect(storage.files.get('a')).toEqual(bytes('second'));
  });

  it('joins parts as they are read, and never has them whole', async () => {
    const storage = versionedStorage(4);
    const { files, file } = await inParts(storage);

    const written = await files.finishParts(file, 'absent');

    expect([...storage.files]).toEqual([['big', bytes('one,two')]]);
    expect(await files.facts('big')).toMatchObject({ ...written, sizeBytes: 7 });
  });

  it('joins no parts over what is not expected, and no replaced ones', async () => {
    const storage = versionedStorage(4);
    const { files, file } = await inParts(storage);
    await storage.put('big', bytes('old'), '');

    await expect(files.finishParts(file, 'absent')).rejects.toThrow(FileChangedError);
    await storage.put('big.part-2', bytes('TWO'), '');
    await expect(files.finishParts(file)).rejects.toThrow(PartReplacedError);

    expect(storage.files.get('big')).toEqual(bytes('old'));
  });

  it('copies as it reads', async () => {
    const storage = versionedStorage(4);
    storage.files.set('a', bytes('more than four'));

    expect(await filesOf(storage).copy('a', 'b')).toBe(true);
    expect(await filesOf(storage).copy('c', 'd')).toBe(false);
    expect(storage.files.get('b')).toEqual(bytes('more than four'));
  });

  it('takes as many parts as a bucket', async () => {
    const files = filesOf(versionedStorage(4));
    const file = { ...(await files.beginParts('big', '')), sizeBytes: MAX_WHOLE_BYTES };

    expect(await files.writePart(file, bytes('x'))).toMatchObject({
      sizeBytes: MAX_WHOLE_BYTES + 1,
    });
  });

  it('is asked for links to old versions by their ids', async () => {
    const downloadLink: Storage['downloadLink'] = async (path, _, id) =>
      `https://cdn/${path}#${id}`;
    const files = filesOf({ ...versionedStorage(4), downloadLink });

    expect(await files.downloadLink('a', { fileName: 'a' }, 'v7')).toBe('https://cdn/a#v7');
  });
});

describe('a storage with nothing of it', () => {
  it('has no old versions, and no links to any', async () => {
    const files = filesOf(memoryStorage());
    await files.write('a', bytes('x'), '');

    expect([await files.facts('a', 'v1'), await files.open('a', 0, 'v1')]).toEqual([
      undefined,
      undefined,
    ]);
    await expect(files.deleteVersion('a', 'v1')).resolves.toBeUndefined();
    expect(() => files.downloadLink('a', { fileName: 'a' }, 'v1')).toThrow('no links');
  });

  it('is looked at just before a write with a condition', async () => {
    const storage = memoryStorage();
    const files = filesOf(storage);
    await files.write('a', bytes('x'), '', 'absent');

    await expect(files.write('a', bytes('y'), '', 'absent')).rejects.toThrow(FileChangedError);

    expect(storage.files.get('a')).toEqual(bytes('x'));
  });
});
