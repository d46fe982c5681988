import { describe, expect, it } from 'vitest';
import { changedAt, conditionOf } from '../../../../shared/files/bucket/expected-file.ts';
import { FileChangedError } from '../../../../shared/files/files.ts';
import type { ExpectedFile } from '../../../../shared/ports/documents.ts';
import { aBucket, refusal } from '../../../helpers/captured/a-bucket.ts';

const OURS: ExpectedFile = { etag: '"ours"' };
const named = (name: string): Error => Object.assign(new Error(name), { name });
const parts = { path: 'a', contentType: '', uploadId: 'u', etags: ['"1"'], sizeBytes: 1 };

describe('what is expected at a path', () => {
  it.each([
    [undefined, {}],
    ['absent', { IfNoneMatch: '*' }],
    [OURS, { IfMatch: '"ours"' }],
  ] as const)('%j is the condition %j of S3', (expected, condition) => {
    expect(conditionOf(expected)).toEqual(condition);
  });

  it.each(['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'])(
    'is not there when S3 answers %s, to a write with a condition only',
    (name) => {
      const error = named(name);

      expect(changedAt('a', OURS, error)).toEqual(new FileChangedError('a'));
      expect(changedAt('a', 'absent', error)).toBeInstanceOf(FileChangedError);
      expect(changedAt('a', undefined, error)).toBe(error);
    },
  );

  it.each([named('SlowDown'), 'PreconditionFailed'])('may be there when %s is thrown', (error) => {
    expect(changedAt('a', OURS, error)).toBe(error);
  });
});

describe('a write to the bucket', () => {
  it.each([
    [OURS, { 'if-match': '"ours"' }],
    ['absent', { 'if-none-match': '*' }],
  ] as const)('takes the condition %j along, whole and in parts', async (expected, headers) => {
    const sent: unknown[] = [];
    const files = await aBucket(({ method, headers: given }, response) => {
      sent.push(given);
      response.writeHead(200, { etag: '"new"', 'x-amz-version-id': 'v2' });
      response.end(method === 'POST' ? '<R><ETag>"new"</ETag></R>' : '');
    });

    const written = await files.write('a', Buffer.from('x'), 'text/plain', expected);
    const joined = await files.finishParts(parts, expected);

    expect(sent).toMatchObject([headers, headers]);
    expect([written, joined]).toEqual(Array(2).fill({ etag: '"new"', versionId: 'v2' }));
  });

  it.each([
    [412, 'PreconditionFailed'],
    [409, 'ConditionalRequestConflict'],
    [404, 'NoSuchKey'],
  ])('says that something else lies there when S3 answers %i %s', async (status, code) => {
    const files = await aBucket(refusal(status, code));

    await expect(files.write('a', Buffer.from('x'), '', OURS)).rejects.toThrow(FileChangedError);
    await expect(files.finishParts(parts, OURS)).rejects.toThrow(FileChangedError);
    await expect(files.write('a', Buffer.from('x'), '')).rejects.toMatchObject({ name: code });
  });
});

describe('an old version in the bucket', () => {
  it('is found, read, linked and deleted by its id', async () => {
    const asked: string[] = [];
    const files = await aBucket(({ method, url }, response) => {
      asked.push(`${method} ${url?.replace(/&?x-id=\w+/, '').replace('?&', '?')}`);
      response.writeHead(method === 'DELETE' ? 204 : 200, { 'x-amz-version-id': 'v1', etag: 'e' });
      response.end();
    });

    const facts = await files.facts('a', 'v1');
    await files.open('a', 0, 'v1');
    await files.deleteVersion('a', 'v1');
    const link = new URL(await files.downloadLink('a', { fileName: 'a.docx' }, 'v1'));

    expect(facts).toMatchObject({ versionId: 'v1', etag: 'e' });
    expect(asked).toEqual([
      'HEAD /files/a?versionId=v1',
      'GET /files/a?versionId=v1',
      'DELETE /files/a?versionId=v1',
    ]);
    expect(link.searchParams.get('versionId')).toBe('v1');
  });
});
