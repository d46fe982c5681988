import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkUpload } from '../../../../shared/files/check-upload.ts';
import { createFiles } from '../../../../shared/files/create-files.ts';
import { memoryStorage, streamingStorage } from '../../../helpers/captured/memory-storage.ts';
import { aContext } from '../../../helpers/world/a-context.ts';

const place = { path: '/files', keyPrefix: 'THING', baseUrl: () => '' };
const sha256 = createHash('sha256').update('content').digest('hex');

describe.each([
  ['knows the hash of a file', () => streamingStorage(3), [] as number[]],
  ['does not', () => memoryStorage(), undefined],
])('checkUpload, where the storage %s', (_, make, read) => {
  it.each([
    ['content', 'same'],
    ['CONTENT', 'different'],
    ['content, and more', 'different'],
    [undefined, 'absent'],
  ])('says of %j: %s', async (text, state) => {
    const storage = make();
    const { files } = createFiles(aContext({ host: { storage } }), place);
    if (text !== undefined) storage.files.set('a', Buffer.from(text));

    expect(await checkUpload(files, 'a', { sizeBytes: 7, sha256 })).toBe(state);
    if ('read' in storage) expect(storage.read).toEqual(read);
  });

  it('takes a hash in capital letters', async () => {
    const storage = make();
    const { files } = createFiles(aContext({ host: { storage } }), place);
    storage.files.set('a', Buffer.from('content'));

    const announced = { sizeBytes: 7, sha256: sha256.toUpperCase() };

    expect(await checkUpload(files, 'a', announced)).toBe('same');
  });
});
