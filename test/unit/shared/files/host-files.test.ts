import { describe, expect, it } from 'vitest';
import { createFiles } from '../../../../shared/files/create-files.ts';
import {
  FileTooLargeError,
  MAX_PIECE_BYTES,
  MAX_PUT_BYTES,
  PartReplacedError,
} from '../../../../shared/files/files.ts';
import { MAX_WHOLE_BYTES } from '../../../../shared/files/host-parts.ts';
import type { Storage } from '../../../../shared/ports/documents.ts';
import { memoryStorage, streamingStorage } from '../../../helpers/captured/memory-storage.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

const place = { path: '/files', keyPrefix: 'THING', baseUrl: () => 'https://api.example.com' };
const filesOf = (storage: Storage) => createFiles(aContext({ host: { storage } }), place).files;
const bytes = (text: string): Buffer => Buffer.from(text);

async function textOf(stream: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe.each([
  ['only what every storage has', () => memoryStorage('text/plain')],
  ['streams, facts and copies', () => streamingStorage(4)],
])('a storage with %s', (_, make) => {
  it('gives files whole, from a byte on, and as facts', async () => {
    const files = filesOf(make());
    await files.write('a', bytes('0123456789'), 'text/plain');

    expect(Buffer.from((await files.read('a', 10))?.body ?? []).toString()).toBe('0123456789');
    expect(await textOf((await files.open('a', 7))?.bytes)).toBe('789');
    expect(await textOf((await files.open('a', 10))?.bytes)).toBe('');
    expect(await files.facts('a')).toMatchObject({ sizeBytes: 10, contentType: 'text/plain' });
  });

  it('has no file that was not written', async () => {
    const files = filesOf(make());

    expect(await files.facts('b')).toBeUndefined();
    expect(await files.read('b', 10)).toBeUndefined();
    expect(await files.open('b')).toBeUndefined();
    expect(await files.copy('b', 'c')).toBe(false);
  });

  it('refuses to read more than the limit', async () => {
    const storage = make();
    const files = filesOf(storage);
    await files.write('a', bytes('0123456789'), 'text/plain');

    await expect(files.read('a', 9)).rejects.toThrow(new FileTooLargeError('a', 9));
  });

  it('does not take an older file for the one whose parts are lost', async () => {
    const storage = make();
    const files = filesOf(storage);
    await files.write('a', bytes('older'), 'text/plain');
    const begun = await files.beginParts('a', 'text/plain');
    const one = await files.writePart(begun, bytes('first '));
    const two = await files.writePart(one, bytes('second'));
    storage.files.delete('a.part-1');

    await expect(files.finishParts(two)).rejects.toThrow('Parts of a are missing');
  });

  it('takes what another writer has joined for nobody else', async () => {
    const files = filesOf(make());
    const begin = () => files.beginParts('shared', 'text/plain');
    const one = await files.writePart(await begin(), bytes('one'));
    const two = await files.writePart(await begin(), bytes('two'));

    await files.finishParts(two, 'absent');

    await expect(files.finishParts(one, 'absent')).rejects.toThrow(PartReplacedError);
    expect(await textOf((await files.open('shared'))?.bytes)).toBe('two');
  });

  it('copies and deletes', async () => {
    const storage = make();
    const files = filesOf(storage);
    await files.write('a', bytes('x'), 'text/plain');

    expect(await files.copy('a', 'b')).toBe(true);
    await files.delete('a');

    expect([...storage.files.keys()]).toEqual(['b']);
  });

  it('joins parts, also when the last step is repeated', async () => {
    const storage = make();
    const files = filesOf(storage);
    const empty = await files.beginParts('big', 'text/plain');
    const one = await files.writePart(empty, bytes('one,'));
    await files.writePart(one, bytes('lost'));
    const two = await files.writePart(one, bytes('two'));

    await files.finishParts(two);
    await files.finishParts(two);

    expect([...storage.files]).toEqual([['big', bytes('one,two')]]);
    expect(two.sizeBytes).toBe(7);
  });

  it('discards the parts of a file that is not wanted', async () => {
    const storage = make();
    const files = filesOf(storage);
    const one = await files.writePart(await files.beginParts('big', ''), bytes('one'));

    await files.dropParts(one);

    expect([...storage.files]).toEqual([]);
  });
});

describe('a storage that streams', () => {
  it('is read no further than the limit', async () => {
    const storage = streamingStorage(4);
    const files = filesOf({ ...storage, head: async () => ({ ...lying, sizeBytes: 1 }) });
    storage.files.set('a', Buffer.alloc(1_000));

    await expect(files.read('a', 10)).rejects.toBeInstanceOf(FileTooLargeError);

    expect(storage.read).toEqual([4, 4, 4]);
  });
});

const lying = { contentType: '', etag: '' };

it('refuses a part beyond what such a storage joins', async () => {
  const files = filesOf(memoryStorage());
  const file = { ...(await files.beginParts('big', '')), sizeBytes: MAX_WHOLE_BYTES };

  await expect(files.writePart(file, bytes('x'))).rejects.toBeInstanceOf(FileTooLargeError);
});

it('leaves links to a storage that makes its own', async () => {
  const storage: Storage = {
    ...memoryStorage(),
    downloadLink: async (path, { fileName }) => `https://cdn.example.com/${path}?as=${fileName}`,
  };

  const link = await filesOf(storage).downloadLink('a', { fileName: 'b' });

  expect(link).toBe('https://cdn.example.com/a?as=b');
});

it('takes no larger upload than can be read', () => {
  const uploadLink = () => Promise.reject(new Error('Nobody uploads here'));
  const most = (storage: Storage) => filesOf(storage).maxUploadBytes;

  expect(most(memoryStorage())).toBe(MAX_PIECE_BYTES);
  expect(most({ ...memoryStorage(), uploadLink })).toBe(MAX_WHOLE_BYTES);
  expect(most({ ...streamingStorage(4), uploadLink })).toBe(MAX_PUT_BYTES);
});
