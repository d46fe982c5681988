import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { SignJWT } from 'jose';
import { localClientConfig } from '../../../bin/dev/local-cloud/aws-client.ts';
import { admin, aToken } from '../../helpers/api/test-tokens.ts';
import { type DownloadServer, downloadServer } from '../../helpers/editor/download-server.ts';
import {
  type CallAnswer,
  type EditorProcess,
  type EditorSetup,
  startEditor,
} from './editor-processes.ts';
import type { FaultCloud } from './fault-cloud.ts';
import { outboxRows, useFaultCloud } from './run.ts';

export const SECRET = 'a-secret-of-the-fault-runs-that-nobody-knows';

/** A document that was opened. */
export interface OpenedDocument {
  readonly fileId: string;
  readonly key: string;
  readonly callback: string;
}

/** What has become of a document. */
export interface Outcome {
  /** SHA-256 of what lies there. */
  readonly hash: string;
  /** What was written there, the original too. */
  readonly versions: number;
  /** Files that are named after it. */
  readonly files: readonly string[];
  /** How often its saves were told of. */
  readonly events: number;
  readonly failures: number;
  readonly key: string;
  readonly rev: number;
  readonly state: string;
}

export const hashOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** A local cloud with a bucket of documents, a document server that serves what it is told to, and processes of the editor. */
export function useEditorWorld() {
  const faults = useFaultCloud();
  let s3: S3Client | undefined;
  const bucket = (): { client: S3Client; Bucket: string } => {
    const { AWS_ENDPOINT_URL = '', BUCKET_NAME = '' } = faults.cloud.environment;
    s3 ??= new S3Client({ ...localClientConfig(AWS_ENDPOINT_URL), forcePathStyle: true });
    return { client: s3, Bucket: BUCKET_NAME };
  };
  return {
    bucket,
    cloud: () => faults.cloud,
    async keepVersions(): Promise<void> {
      const { client, Bucket } = bucket();
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    },
    async put(fileId: string, Body: Uint8Array): Promise<void> {
      const { client, Bucket } = bucket();
      await client.send(new PutObjectCommand({ Bucket, Key: fileId, Body }));
    },
    outcome: (fileId: string) => outcomeOf(faults.cloud, bucket(), fileId),
  };
}

type Bucket = ReturnType<ReturnType<typeof useEditorWorld>['bucket']>;

async function outcomeOf(
  cloud: FaultCloud,
  { client, Bucket }: Bucket,
  fileId: string,
): Promise<Outcome> {
  const [object, listed, versions, items] = await Promise.all([
    client.send(new GetObjectCommand({ Bucket, Key: fileId })),
    client.send(new ListObjectsV2Command({ Bucket, Prefix: stemOf(fileId) })),
    client.send(new ListObjectVersionsCommand({ Bucket, Prefix: fileId })),
    cloud.items(),
  ]);
  const hash = createHash('sha256');
  for await (const chunk of object.Body as AsyncIterable<Uint8Array>) hash.update(chunk);
  const fileKey = items.find(({ pk }) => pk === `DOCKEY#${fileId}`)?.fileKey as {
    readonly key: string;
    readonly rev: number;
  };
  const sessions = items
    .filter(({ type }) => type === 'DOCS_SESSION')
    .map(({ session }) => session as { fileId: string; rev: number; state: string; failures: [] })
    .filter((session) => session.fileId === fileId);
  const told = outboxRows(items).filter(
    ({ topic, key }) => topic === 'docs.document.saved' && key === documentIdOf(fileId),
  );
  return {
    ...{ hash: hash.digest('hex'), versions: versions.Versions?.length ?? 0 },
    files: (listed.Contents ?? []).map(({ Key = '' }) => Key),
    ...{ events: told.length, key: fileKey.key, rev: fileKey.rev },
    failures: sessions.reduce((sum, { failures }) => sum + failures.length, 0),
    state: sessions.find(({ rev }) => rev === 1)?.state ?? '',
  };
}

const stemOf = (fileId: string): string => fileId.replace(/\.[^.]*$/, '.');
const documentIdOf = (fileId: string): string => `doc-${fileId}`;

/** A document server, and what it reports. */
export interface EditingServer extends DownloadServer {
  /** @param name tells downloads apart */
  report(
    process: EditorProcess,
    document: OpenedDocument,
    save: { readonly status: number; readonly name?: string; readonly users?: readonly string[] },
    options?: { readonly dieBefore?: number; readonly secret?: string },
  ): ReturnType<EditorProcess['call']>;
  /**
   * The tries of a document server after one that has failed: of saves at the end, and never of one while it is edited.
   * @returns `undefined` when none was answered
   */
  tryAgain(
    process: EditorProcess,
    document: OpenedDocument,
    save: { readonly status: number; readonly name: string },
  ): ReturnType<EditorProcess['call']>;
  start(cloud: FaultCloud, setup?: Partial<EditorSetup>): Promise<EditorProcess>;
}

/** Pauses of a document server before its next tries (ms), and which saves it repeats. */
const PAUSES = [1_000, 2_000, 4_000];
const REPEATED = new Set([2, 3]);

/** Starts a document server that serves the same bytes under each path, until told otherwise. */
export async function editingServer(bytes: Uint8Array): Promise<EditingServer> {
  const server = await downloadServer(bytes);
  const editing: EditingServer = Object.assign(server, {
    async tryAgain(process, document, save) {
      let answer: CallAnswer | undefined;
      for (const pause of REPEATED.has(save.status) ? PAUSES : []) {
        await sleep(pause);
        answer = await editing.report(process, document, save);
        const mayPass = !answer || answer.status === 429 || answer.status >= 500;
        if (!mayPass) return answer;
      }
      return answer;
    },
    async report(process, document, { status, name, users = ['lan'] }, options = {}) {
      const url = `${server.url}/cache/files/data/${name}/output.docx?md5=${Math.random()}`;
      const claims = { key: document.key, status, users, ...(name && { url, filetype: 'docx' }) };
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setExpirationTime('5 minutes')
        .sign(Buffer.from(options.secret ?? SECRET));
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ ...claims, token });
      return process.call(
        { method: 'POST', path: document.callback, headers, body },
        options.dieBefore,
      );
    },
    start: (cloud, { docs, ...setup } = {}) =>
      startEditor(cloud, {
        docs: { 'document-server-url': server.url, secret: SECRET, ...docs },
        ...setup,
      }),
  } satisfies Omit<EditingServer, keyof DownloadServer>);
  return editing;
}

/** Opens a document. */
export async function openIn(process: EditorProcess, fileId: string, sub = 'demo') {
  const query = { fileId, fileName: 'a.docx', documentId: documentIdOf(fileId) };
  const token = await aToken({ ...admin, sub }, Date.now());
  const path = `/api/v1/docs/editor?${new URLSearchParams(query)}`;
  const headers = { authorization: `Bearer ${token}` };
  const opened = await process.call({ method: 'GET', path, headers });
  if (opened?.status !== 200) throw new Error(JSON.stringify(opened));
  const { document, editorConfig } = opened.body as {
    readonly document: { readonly key: string };
    readonly editorConfig: { readonly callbackUrl: string };
  };
  const { pathname, search } = new URL(editorConfig.callbackUrl);
  return { fileId, key: document.key, callback: pathname + search } satisfies OpenedDocument;
}
