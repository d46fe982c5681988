import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SignJWT } from 'jose';
import { ensureDevIssuer, signDevToken } from '../../../bin/dev/dev-issuer.ts';
import { localClientConfig } from '../../../bin/dev/local-cloud/aws-client.ts';
import { projectRoot } from '../../../bin/dev/paths.ts';
import { type DownloadServer, downloadServer } from '../../helpers/editor/download-server.ts';
import { startTestPlatform, type TestPlatform } from '../../tools/test-platform.ts';
import { type Figure, median } from '../benchmark.ts';
import { deployBareHandler } from '../http/bare-handler.ts';
import { call } from '../http/http-call.ts';
import { aDocument } from './a-document.ts';

const CALLS = Number(process.env.BENCH_CALLS ?? 100);
const WARM_UP = 10;
const SECRET = 'a-secret-of-the-benchmark-that-nobody-knows';
const FILE = 'documents/bench/letter.docx';
const SAVED = 'documents/bench/saved.docx';

/** The least for the same effects: the same signatures and reads, the same object, the same document stored. */
const BARE_HANDLER = `
import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SignJWT } from 'jose';
import { normaliseDocx, openDocx, writeDocx } from '${join(projectRoot, 'shared/docx/index.ts')}';
const table = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const bucket = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' });
const { TABLE_NAME, BUCKET_NAME: Bucket, CONFIG } = process.env;
const config = JSON.parse(CONFIG);
const key = Buffer.from('${SECRET}');
const sign = (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setExpirationTime('1h').sign(key);
const steps = {
  async open() {
    await Promise.all([
      table.send(new GetCommand({ TableName: TABLE_NAME, Key: { pk: 'DOCKEY#${FILE}', sk: 'KEY' }, ConsistentRead: true })),
      bucket.send(new HeadObjectCommand({ Bucket, Key: '${FILE}' })),
    ]);
    const claims = { fid: '${FILE}', did: 'd', sub: 'bench' };
    const [file, context, token] = [await sign(claims), await sign(claims), await sign(config)];
    return { body: JSON.stringify({ ...config, file, context, token }) };
  },
  async file() {
    const { Body } = await bucket.send(new GetObjectCommand({ Bucket, Key: '${FILE}' }));
    return { body: Buffer.from(await Body.transformToByteArray()).toString('base64'), isBase64Encoded: true };
  },
  async save(url) {
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    const written = writeDocx(normaliseDocx(await openDocx(bytes), { keepsControls: true }).pkg);
    await bucket.send(new PutObjectCommand({ Bucket, Key: 'documents/bench/bare.docx', Body: written }));
    return { body: '{"error":0}' };
  },
};
export const handler = async ({ body }) => {
  const { step, url } = JSON.parse(body);
  const answer = await steps[step](url);
  console.log('{"message":"request"}');
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, ...answer };
};
`;

interface Opened {
  readonly document: { readonly key: string; readonly url: string };
  readonly editorConfig: { readonly callbackUrl: string };
}

/** Calls of the editor through the local cloud, against a bare handler with the same work. */
export async function overHttp(say: (text: string) => void): Promise<Figure[]> {
  const documents = Array.from({ length: 5 }, (_, round) => aDocument(round));
  const server = await downloadServer(documents[0] ?? '');
  let served = 0;
  server.answer = (_, response) => {
    // Ours and the bare handler get the same one.
    response.end(documents[Math.floor(served / 2) % documents.length]);
    served += 1;
  };
  const context = {
    'svc.docs.enabled': 'true',
    'svc.docs.document-server-url': server.url,
    'svc.docs.secret': SECRET,
  };
  const platform = await startTestPlatform({ context, onProgress: say });
  try {
    return await measureAll(platform, server, say);
  } finally {
    await platform.stop();
    await server.close();
  }
}

async function measureAll(
  { outputs }: TestPlatform,
  server: DownloadServer,
  say: (text: string) => void,
): Promise<Figure[]> {
  const { endpoint, apiId, tableName, bucketName } = outputs;
  const s3 = new S3Client({ ...localClientConfig(endpoint), forcePathStyle: true });
  for (const Key of [FILE, SAVED]) {
    await s3.send(new PutObjectCommand({ Bucket: bucketName, Key, Body: aDocument(0) }));
  }
  // All without the proxy of the stable address.
  const ours = `${endpoint}/_aws/execute-api/${apiId}/$default`;
  const token = await signDevToken(await ensureDevIssuer(), {
    ...{ sub: 'bench', roles: ['admin'], permissions: [] },
  });
  const addressOf = (fileId: string) => {
    const query = { fileId, fileName: 'a.docx', documentId: 'bench' };
    return `${ours}/api/v1/docs/editor?${new URLSearchParams(query)}`;
  };
  const read = JSON.parse(await call(addressOf(FILE), token)) as Opened;
  const edited = JSON.parse(await call(addressOf(SAVED), token)) as Opened;
  const bareApi = await deployBareHandler(outputs, {
    ...{ code: BARE_HANDLER, route: 'POST /bare' },
    variables: { TABLE_NAME: tableName, BUCKET_NAME: bucketName, CONFIG: JSON.stringify(read) },
  });
  const bare = `${endpoint}/_aws/execute-api/${bareApi}/$default/bare`;
  const atBare = (step: object) => call(bare, token, JSON.stringify(step));
  const inOurs = (address: string) => ours + pathOf(address);
  say(`${CALLS} calls of each, one after the other, p50`);
  const newSave = () => `${server.url}/cache/files/${randomUUID()}/output.docx`;
  const callback = async (url: string) => {
    const claims = { key: edited.document.key, status: 6, url, filetype: 'docx', users: ['bench'] };
    const signed = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setExpirationTime('5m')
      .sign(Buffer.from(SECRET));
    const body = JSON.stringify({ ...claims, token: signed });
    return call(inOurs(edited.editorConfig.callbackUrl), token, body);
  };
  return [
    await figure('configuration', 1.5, 'the same signatures, item read and object head', [
      () => call(addressOf(FILE), token),
      () => atBare({ step: 'open' }),
    ]),
    await figure('file of 1 MB', 1.3, 'the same object', [
      () => call(inOurs(read.document.url), ''),
      () => atBare({ step: 'file' }),
    ]),
    await figure('callback of a save of 1 MB', 1.5, 'download, normalise and put', [
      () => callback(newSave()),
      () => atBare({ step: 'save', url: newSave() }),
    ]),
  ];
}

const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return pathname.slice(Math.max(0, pathname.indexOf('/api/v1/'))) + search;
};

/** Medians; the calls alternate, so that a busy moment hits both. */
async function figure(
  what: string,
  goal: number,
  work: string,
  calls: readonly (() => Promise<unknown>)[],
): Promise<Figure> {
  const times = calls.map((): number[] => []);
  for (let round = 0; round < WARM_UP + CALLS; round += 1) {
    for (const [at, one] of calls.entries()) {
      const startedAt = performance.now();
      await one();
      if (round >= WARM_UP) times[at]?.push(performance.now() - startedAt);
    }
  }
  const [value = 0, floor = 0] = times.map(median);
  return {
    ...{ what: `${what} over HTTP, warm, p50`, value, unit: 'ms', goal },
    floor: { what: `a bare handler: ${work}`, value: floor },
  };
}
