import { describe, expect, it } from 'vitest';
import {
  FileTooLargeError,
  PartReplacedError,
  TooManyPartsError,
} from '../../../../shared/files/files.ts';
import { aBucket, type BucketAnswer, refusal } from '../../../helpers/captured/a-bucket.ts';

describe('a file that the bucket does not have', () => {
  it.each([
    [404, 'NoSuchKey'],
    [403, 'AccessDenied'],
  ])('is absent when S3 answers %i %s', async (status, code) => {
    const files = await aBucket(refusal(status, code));

    expect(await files.facts('a')).toBeUndefined();
    expect(await files.read('a', 10)).toBeUndefined();
    expect(await files.open('a', 5)).toBeUndefined();
    expect(await files.copy('a', 'b')).toBe(false);
  });

  it.each([
    [403, 'SignatureDoesNotMatch'],
    [403, 'RequestTimeTooSkewed'],
    [404, 'NoSuchBucket'],
    [500, 'InternalError'],
  ])('is not what %i %s says', async (status, code) => {
    const files = await aBucket(refusal(status, code));

    await expect(files.read('a', 10)).rejects.toMatchObject({ name: code });
  });
});

describe('read', () => {
  it('refuses a file by its length before it is read', async () => {
    let written = 0;
    const files = await aBucket((_, response) => {
      response.writeHead(200, { 'content-length': '1000000000' });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.on('drain', more);
      more();
    });

    const failure = await files.read('big', 1_000).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(FileTooLargeError);
    expect(String(failure)).toContain('big has more than 1000 bytes');
    expect(written).toBeLessThan(50_000_000);
  });

  it('stops reading a file that does not tell its length', async () => {
    const files = await aBucket((_, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      const timer = setInterval(() => response.write(Buffer.alloc(600)), 1);
      response.on('close', () => clearInterval(timer));
    });

    await expect(files.read('endless', 10_000)).rejects.toBeInstanceOf(FileTooLargeError);
  });

  it('takes a file of exactly the limit', async () => {
    const files = await aBucket((_, response) => response.end('0123456789'));

    const file = await files.read('a', 10);

    expect(Buffer.from(file?.body ?? []).toString()).toBe('0123456789');
  });
});

describe('delete', () => {
  /** A bucket with versions of keys that begin alike, two on a page. */
  function versionedBucket(remaining: [key: string, version: string][], refused = '') {
    const deleted: string[] = [];
    const answer: BucketAnswer = ({ method, url = '' }, response) => {
      if (method === 'DELETE') {
        const id = new URL(url, 'http://s3').searchParams.get('versionId') ?? '';
        if (id === refused) return refusal(403, 'AccessDenied')({ method }, response);
        deleted.push(id);
        remaining = remaining.filter(([, version]) => version !== id);
        response.writeHead(204).end();
        return;
      }
      const page = remaining.slice(0, 2).map(([key, version], at) => {
        const tag = at % 2 ? 'DeleteMarker' : 'Version';
        const isLatest = remaining.findIndex((each) => each[0] === key) === at;
        return `<${tag}><Key>${key}</Key><VersionId>${version}</VersionId><IsLatest>${isLatest}</IsLatest></${tag}>`;
      });
      const isCut = remaining.length > 2;
      response.end(
        `<ListVersionsResult><IsTruncated>${isCut}</IsTruncated>${page.join('')}</ListVersionsResult>`,
      );
    };
    const refuse = (version: string) => {
      refused = version;
    };
    return { answer, deleted, refuse };
  }

  it('removes every version and delete marker of the key and of no other', async () => {
    const { answer, deleted } = versionedBucket([
      ['k', 'a'],
      ['k', 'b'],
      ['k', 'c'],
      ['k2', 'd'],
      ['k3', 'e'],
    ]);
    const files = await aBucket(answer);

    await files.delete('k');

    expect(deleted.sort()).toEqual(['a', 'b', 'c']);
  });

  it('removes the newest version last, so that none is left that was replaced', async () => {
    const { answer, deleted, refuse } = versionedBucket(
      [
        ['k', 'newest'],
        ['k', 'older'],
        ['k', 'oldest'],
        ['k2', 'other'],
      ],
      'oldest',
    );
    const files = await aBucket(answer);

    await expect(files.delete('k')).rejects.toMatchObject({ name: 'AccessDenied' });
    const before = [...deleted];
    refuse('');
    await files.delete('k');

    expect(before).not.toContain('newest');
    expect(deleted).toEqual(['older', 'oldest', 'newest']);
  });

  it('fails when a version cannot be deleted', async () => {
    const { answer } = versionedBucket([['k', 'a']], 'a');
    const files = await aBucket(answer);

    await expect(files.delete('k')).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});

describe('a file in parts without any part', () => {
  it('is an empty file', async () => {
    const calls: string[] = [];
    const files = await aBucket(({ method, url = '' }, response) => {
      calls.push(`${method} ${url}`);
      if (method !== 'POST') return response.writeHead(method === 'DELETE' ? 204 : 200).end();
      if (url.includes('uploadId')) return refusal(400, 'MalformedXML')({ method }, response);
      return response.end('<Result><UploadId>u1</UploadId></Result>');
    });

    const file = await files.beginParts('empty.csv', 'text/csv');
    await files.finishParts(file);

    expect(calls.slice(1).map((call) => call.split('?')[0])).toEqual([
      'PUT /files/empty.csv',
      'DELETE /files/empty.csv',
    ]);
  });
});

describe('a file in parts', () => {
  it('is not completed when a part was replaced', async () => {
    const files = await aBucket(refusal(400, 'InvalidPart'));
    const file = { path: 'a', contentType: '', uploadId: 'u', etags: ['"1"'], sizeBytes: 1 };

    await expect(files.finishParts(file)).rejects.toThrow(new PartReplacedError('a'));
  });
});

describe('copy', () => {
  it('fails when the bucket has the file and refuses the copy', async () => {
    const files = await aBucket(({ method }, response) => {
      if (method === 'HEAD') response.writeHead(200, { 'content-length': '1' }).end();
      else refusal(403, 'AccessDenied')({ method, url: '/' }, response);
    });

    await expect(files.copy('a', 'b')).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});

describe('a file in parts', () => {
  it('has as many parts as S3 accepts', async () => {
    let sent = 0;
    const files = await aBucket((_, response) => {
      sent += 1;
      response.writeHead(200, { etag: '"last"' }).end();
    });
    const file = {
      ...{ path: 'a', contentType: 'text/csv', uploadId: 'u', sizeBytes: 9_999 },
      etags: Array<string>(9_999).fill('"part"'),
    };

    const full = await files.writePart(file, Buffer.from('x'));

    await expect(files.writePart(full, Buffer.from('y'))).rejects.toThrow(TooManyPartsError);
    expect(full.etags.length).toBe(10_000);
    expect(sent).toBe(1);
  });
});

describe('the lifetime of a link', () => {
  it.each([0, -1, 1.5, Number.NaN, 604_801])('is not %d seconds', async (expiresInSeconds) => {
    const files = await aBucket(refusal(500, 'InternalError'));
    const upload = { contentType: 'text/csv', sizeBytes: 1, sha256: '00'.repeat(32) };

    await expect(files.downloadLink('a', { fileName: 'a', expiresInSeconds })).rejects.toThrow(
      'expiresInSeconds must be a whole number from 1 to 604800',
    );
    await expect(files.uploadLink('a', { ...upload, expiresInSeconds })).rejects.toThrow(
      'expiresInSeconds must be a whole number from 1 to 604800',
    );
  });

  it('is a week at most', async () => {
    const files = await aBucket(refusal(500, 'InternalError'));

    const link = await files.downloadLink('a', { fileName: 'a', expiresInSeconds: 604_800 });

    expect(new URL(link).searchParams.get('X-Amz-Expires')).toBe('604800');
  });
});
