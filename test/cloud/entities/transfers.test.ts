import { createHash } from 'node:crypto';
import { ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { cloud } from '../../helpers/cloud/cloud.ts';
import { api, declare, jobAt } from './people.ts';

describe('records of an entity', () => {
  it('are exported and imported into another one', async () => {
    const [from, to] = [await declare(), await declare()];
    await api.post(from.records, { body: { name: '=1+1', notes: 'it\'s "so"\nsaid' } });
    await api.post(from.records, { body: { name: '', amount: -0.5 } });

    const file = await api.get(`${from.records}/export`, { query: { format: 'csv' } });
    const done = await api.post(`${to.records}/import`, {
      body: file.text,
      headers: { 'content-type': 'text/csv' },
    });
    const one = await api.get(`${from.records}/export`, { query: { format: 'json' } });
    const other = await api.get(`${to.records}/export`, { query: { format: 'json' } });

    expect(done.body, done.text).toMatchObject({ created: 2, failed: 0 });
    expect(other.body).toEqual(one.body);
  });

  it('are exported by a job to a file behind a link, and imported from that file', async () => {
    const [from, to] = [await declare(), await declare()];
    const filler = 'Đường Lê Lợi, "Huế"\n'.repeat(2_250);
    const records = Array.from({ length: 60 }, (_, at) => ({
      name: at % 3 ? `=n${at}` : `Nguyễn ${at}`,
      email: `e${at}@example.com`,
      amount: at / 8,
      notes: filler + at,
    }));
    for (let at = 0; at < records.length; at += 10) {
      const operations = records.slice(at, at + 10).map((data) => ({ op: 'create', data }));
      const { status, text } = await api.post(`${from.records}/bulk`, { body: { operations } });
      expect(status, text.slice(0, 300)).toBe(200);
    }

    const started = await api.get(`${from.records}/export`, { query: { format: 'ndjson' } });
    const exported = await jobAt(started.headers.location);
    const file = await fetch(exported.body.link);
    const stranger = await api
      .as(await cloud.token({ sub: 'other', roles: ['admin'] }))
      .get(String(started.headers.location));
    const text = await file.text();
    const imported = await api.post(`${to.records}/import`, {
      body: text,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(imported.body, imported.text).toEqual({
      created: records.length,
      updated: 0,
      failed: 0,
      errors: [],
    });
    const copy = await api.get(`${to.records}/export`, { query: { format: 'ndjson' } });
    const copied = await fetch((await jobAt(copy.headers.location)).body.link);

    expect(started.status, started.text.slice(0, 300)).toBe(202);
    expect(exported.body).toMatchObject({
      state: 'DONE',
      result: { bytes: Buffer.byteLength(text) },
    });
    expect([file.status, stranger.status]).toEqual([200, 404]);
    expect(file.headers.get('content-type')).toBe('application/x-ndjson');
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="?[\w-]+_\d{14}\.ndjson"?$/,
    );
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject(records);
    expect((await copied.text()) === text).toBe(true);
    const changed = new URL(exported.body.link);
    changed.pathname = changed.pathname.replace(/[^/]+$/, 'another');
    expect((await fetch(changed)).status).toBe(403);
  });

  it('are imported from a file that was uploaded by a link, which takes the announced content only', async () => {
    const { records } = await declare();
    const text = Array.from({ length: 300 }, (_, at) => `{"name":"Ế ${at}","amount":${at}}`).join(
      '\n',
    );
    const bytes = Buffer.from(text);
    const announcement = {
      format: 'ndjson',
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
    const announced = await api.post(`${records}/import/uploads`, { body: announcement });
    const { method, url, headers } = announced.body.upload;
    const at = String(announced.headers.location);

    const other = Buffer.from(bytes).fill(0x20, 0, 1);
    const refused = [
      await fetch(url, { method, headers, body: other }),
      await fetch(url, { method, headers, body: bytes.subarray(1) }),
    ];
    const early = await api.post(`${at}:import`);
    const stored = await fetch(url, { method, headers, body: bytes });
    const ready = await api.get(at);
    const job = await jobAt((await api.post(`${at}:import`)).headers.location);

    expect(refused.map(({ status }) => status)).toEqual([400, 403]);
    expect(early.body).toMatchObject({ status: 409, code: 'UPLOAD_INCOMPLETE' });
    expect([stored.status, ready.body.state]).toEqual([200, 'UPLOADED']);
    expect(job.body, job.text).toMatchObject({
      state: 'DONE',
      processed: 300,
      result: { created: 300, failed: 0 },
    });
    const s3 = new S3Client({ ...cloud.awsClientConfig(), forcePathStyle: true });
    const left = await s3.send(
      new ListObjectVersionsCommand({
        Bucket: cloud.outputs.bucketName,
        Prefix: `entities/imports/${announced.body.id}`,
      }),
    );
    expect([...(left.Versions ?? []), ...(left.DeleteMarkers ?? [])]).toEqual([]);
  });

  it('are imported from a form', async () => {
    const { records } = await declare();
    const form = new FormData();
    form.append('file', new File(['name\r\nĐỗ\r\n'], 'khách hàng.csv', { type: 'text/csv' }));
    const request = new Request(cloud.baseUrl, { method: 'POST', body: form });

    const done = await api.post(`${records}/import`, {
      body: Buffer.from(await request.arrayBuffer()),
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
    });

    expect(done.body, done.text).toMatchObject({ created: 1, failed: 0 });
    expect((await api.get(records)).body.content).toMatchObject([{ name: 'Đỗ' }]);
  });
});
