import { randomUUID } from 'node:crypto';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../helpers/cloud/api-client.ts';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { makeDocx } from '../../helpers/docx/make-docx.ts';

const TEMPLATES = '/api/v1/templates';
const DOCS = '/api/v1/docs';

let api: ApiClient;
beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'lan', roles: ['admin'] }),
  });
});

interface Opened {
  readonly documentServerUrl: string;
  readonly document: { readonly key: string; readonly url: string };
  readonly editorConfig: {
    readonly mode: string;
    readonly callbackUrl?: string;
    readonly plugins?: {
      readonly options: Readonly<Record<string, { readonly accessToken: string }>>;
    };
  };
}

/** What a browser tells the document server. */
async function tell(server: string, path: string, body: object = {}) {
  const answer = await fetch(`${server}/stand-in/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as { readonly session: string; readonly texts: readonly string[] };
}

/** Opens what a link to the editor stands for. */
const openBy = async (link: string): Promise<Opened> => {
  const query = Object.fromEntries(new URL(link).searchParams);
  return (await api.get(`${DOCS}/editor`, { query })).body;
};

/** Uploads a template with a locked field. */
async function aTemplate(text: string) {
  const body = { code: `edited-${randomUUID()}`, name: 'Thư mẫu', type: 'TYPE_1' };
  const path = `${TEMPLATES}/${(await api.post(TEMPLATES, { body })).body.id}`;
  const form = new FormData();
  const file = makeDocx({ body: `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>` });
  form.append('file', new Blob([Uint8Array.from(file)]), 'letter.docx');
  const sent = new Response(form);
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' };
  await api.put(`${path}/file`, { body: new Uint8Array(await sent.arrayBuffer()), headers });
  const field = { name: 'city', sourceType: 'ENTITY', sourceRef: 'city', lockedInOutput: true };
  await api.put(`${path}/merge-fields`, { body: { fields: [field] } });
  return path;
}

describe('a generated document in the editor', () => {
  it('is opened, edited by the document server, stored, told of, and opened for viewing at last', async () => {
    const path = await aTemplate('Dear {{city}}');
    const order = { outputFormat: 'DOCX', entityData: { city: 'Huế' } };
    const { body: made } = await api.post(`${path}/generate`, { body: order });
    const { generationId: documentId, docsEditUrl } = made;
    const generation = `${path}/generations/${documentId}`;
    const opened = await openBy(docsEditUrl);
    const { documentServerUrl, document, editorConfig } = opened;
    const server = documentServerUrl.replace(/\/$/, '');

    const file = await fetch(document.url);
    const part = await fetch(document.url, { headers: { range: 'bytes=0-1' } });
    expect([file.status, part.status, await part.text()]).toEqual([200, 206, 'PK']);
    expect((await fetch(document.url.split('?')[0] ?? '')).status).toBe(401);
    const [plugin] = Object.values(editorConfig.plugins?.options ?? {});
    const asPlugin = createApiClient({ baseUrl: cloud.baseUrl, token: plugin?.accessToken ?? '' });
    const fields = await asPlugin.get(`${path}/merge-fields`);
    expect(fields.body.fields).toMatchObject([{ name: 'city' }]);
    expect((await asPlugin.get(path)).status).toBe(401);

    const { session, texts } = await tell(server, 'open', opened);
    expect(texts).toEqual(['Dear Huế']);
    const change = (text: string) => tell(server, `sessions/${session}/change`, { index: 0, text });
    await change('Kính gửi Huế {{hotline}}');
    expect(await tell(server, `sessions/${session}/save`)).toMatchObject({ isSaved: true });
    expect((await api.get(generation)).body.editStatus).toBe('EDITING');
    await change('Kính gửi Hội An {{hotline}}');
    const saved = await api.post(`${DOCS}/documents/${documentId}:save`);
    expect(saved.body.sessions).toMatchObject([{ key: document.key, result: 'SAVED' }]);
    const sessions = async () =>
      (await api.get(`${DOCS}/sessions`, { query: { documentId } })).body.content;
    expect(await sessions()).toMatchObject([{ state: 'OPEN', users: ['lan'] }]);
    const closed = await api.post(`${DOCS}/documents/${documentId}:close`);
    expect(closed.body.sessions).toMatchObject([{ result: 'REQUESTED' }]);

    const key = async () => (await openBy(docsEditUrl)).document.key;
    await expect.poll(key, { timeout: 10_000, interval: 200 }).not.toBe(document.key);
    expect(await sessions()).toMatchObject([
      { state: 'NEW' },
      { state: 'SAVED', users: [], failures: [], lastSave: { status: 2, conflict: false } },
    ]);
    const { body: edited } = await api.get(generation);
    expect(edited).toMatchObject({ editStatus: 'EDITED' });

    const versions = `${DOCS}/documents/${documentId}/versions`;
    const { history, currentVersion } = (await api.get(versions)).body;
    expect(history).toMatchObject([{ version: 1 }, { version: 2 }, { version: 3 }]);
    const { body: second } = await api.get(`${versions}/2`);
    const contents = await Promise.all(
      [second.previous.url, second.url, second.changesUrl].map(async (url) => fetch(url)),
    );
    expect(contents.map(({ status }) => status)).toEqual([200, 200, 200]);
    const sizes = await Promise.all(contents.map(async (each) => (await each.blob()).size));
    expect(new Set(sizes).size).toBe(3);
    const seen = { headers: { 'if-match': `"${currentVersion}"` } };
    const restored = await api.post(`${versions}/1:restore`, seen);
    expect(restored.body).toMatchObject({ currentVersion: 4 });
    const { body: again } = await api.get(generation);
    expect(again.editStatus).toBe('EDITED');
    expect(again.outputHash).not.toBe(edited.outputHash);

    await api.put(`${generation}/finalize`);
    const { docsEditUrl: finalUrl } = (await api.get(generation)).body;
    expect((await openBy(finalUrl)).editorConfig.mode).toBe('view');
    const status = await api.get(`${DOCS}/status`);
    expect(status.body).toMatchObject({ isReachable: true, secretAgrees: true, fault: null });
  });

  it('becomes the next version of its template when that is edited', async () => {
    const path = await aTemplate('Dear {{city}}');
    const opened = await openBy((await api.get(path)).body.docsEditUrl);
    const server = opened.documentServerUrl.replace(/\/$/, '');
    const { session } = await tell(server, 'open', opened);

    await tell(server, `sessions/${session}/change`, { index: 0, text: 'Dear {{city}} {{new}}' });
    await tell(server, `sessions/${session}/leave`);

    const versions = async () => (await api.get(`${path}/file-versions`)).body.content;
    const edited = [{ origin: 'EDITOR', createdBy: 'lan' }, { origin: 'UPLOAD' }];
    await expect.poll(versions, { timeout: 10_000, interval: 200 }).toMatchObject(edited);
  });
});

describe('a document in the bucket', () => {
  it('is handed over by a link when it is large, and forgotten ones are asked for', async () => {
    const fileId = `documents/journey/${randomUUID()} bản vẽ.pdf`;
    const config = { ...cloud.awsClientConfig(), forcePathStyle: true };
    const { bucketName: Bucket } = cloud.outputs;
    const Body = Buffer.alloc(4 * 1_048_576 + 1, 'x');
    await new S3Client(config).send(new PutObjectCommand({ Bucket, Key: fileId, Body }));
    const query = { fileId, fileName: 'Bản vẽ.pdf', documentId: fileId.slice(-40) };

    const opened: Opened = (await api.get(`${DOCS}/editor`, { query })).body;
    const linked = await fetch(opened.document.url, { redirect: 'manual' });

    expect(linked.status).toBe(302);
    const location = linked.headers.get('location') ?? '';
    expect(new URL(location).host).not.toBe(new URL(opened.document.url).host);
    expect((await (await fetch(location)).arrayBuffer()).byteLength).toBe(Body.length);
    for (const task of ['editor.recovery', 'editor.forget']) {
      const { FunctionError } = await new LambdaClient(config).send(
        new InvokeCommand({
          FunctionName: cloud.outputs.functions.editor,
          Payload: JSON.stringify({ task }),
        }),
      );
      expect(FunctionError, task).toBeUndefined();
    }
  });
});
