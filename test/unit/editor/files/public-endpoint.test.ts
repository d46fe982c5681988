import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { anEditorApi, pathOf } from '../editor-api.ts';

const FILE_ID = 'documents/Hợp đồng/a b.docx';
const LARGE = 4 * 1_048_576 + 1;

/** A bucket with one large document; what is asked of it does not leave the process. */
function aBucket() {
  const facts = { ContentLength: LARGE, ETag: '"1"', ContentType: '' };
  return vi.spyOn(S3Client.prototype, 'send').mockImplementation(async (command: unknown) => {
    if (command instanceof HeadObjectCommand) return facts;
    if (command instanceof GetObjectCommand) {
      return { ...facts, Body: Readable.from([Buffer.alloc(LARGE)]) };
    }
    throw new Error('Nothing else is asked');
  });
}

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key-of-a-test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret-of-a-test');
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function aLink(docs: Readonly<Record<string, unknown>>) {
  aBucket();
  const api = anEditorApi({ docs, also: { storage: undefined } as object });
  const { document } = await api.opened({ fileId: FILE_ID, fileName: 'a.docx' });
  const { status, headers } = await api.get(pathOf(document.url), { caller: null });
  return { status, api: new URL(document.url), link: new URL(headers.location ?? '') };
}

describe('the link to a large document', () => {
  it.each(['http://10.0.0.5:9000', 'https://files.example.com', 'https://files.example.com:8443'])(
    'leads to S3 as the document server reaches it: %s',
    async (endpoint) => {
      const { status, link } = await aLink({ 's3-public-endpoint': endpoint });

      expect([status, link.origin]).toEqual([302, endpoint]);
      expect(decodeURIComponent(link.pathname)).toBe(`/svc-cloud-bucket/${FILE_ID}`);
      expect(link.searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
      expect(link.searchParams.get('X-Amz-SignedHeaders')).toBe('host');
      expect(Number(link.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(300);
    },
  );

  it('leads to S3 as the function reaches it without one', async () => {
    const { link } = await aLink({});

    expect(link.host).toContain('127.0.0.1:4566');
  });

  it('leads to no host of the API: the document server would send its token there', async () => {
    const { link, api } = await aLink({ 's3-public-endpoint': 'https://files.example.com' });

    expect(link.host).not.toBe(api.host);
  });
});
