import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../helpers/cloud/api-client.ts';
import { cloud } from '../helpers/cloud/cloud.ts';
import { eventually } from '../helpers/cloud/host-platform.ts';
import { saveAesKey } from '../helpers/cloud/save-aes-key.ts';

const NOTES = '/api/v1/notes';
/** As the platform under test is configured: svc.notes.max-length. */
const MAX_LENGTH = 200;

const clientOf = async (sub: string, claims: object = { roles: ['admin'] }): Promise<ApiClient> =>
  createApiClient({ baseUrl: cloud.baseUrl, token: await cloud.token({ sub, ...claims }) });

let api: ApiClient;
const author = `author-${randomUUID()}`;
beforeAll(async () => {
  api = await clientOf(author);
});

const isCounted = (id: string, notes: number) =>
  eventually(`${notes} notes are counted`, async () => {
    const { body } = await api.get(`${NOTES}/${id}`);
    return body.notesOfAuthor === notes ? body : undefined;
  });

describe('a module of an application', () => {
  it('answers its routes, and its listener counts each note once', async () => {
    const request = { body: { text: 'Call back' }, headers: { 'idempotency-key': randomUUID() } };

    const added = await api.post(NOTES, request);
    const again = await api.post(NOTES, request);
    const second = await api.post(NOTES, { body: { text: 'Write' } });

    expect(added.status).toBe(201);
    expect(added.headers.location).toBe(`${NOTES}/${added.body.id}`);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(second.body.id).not.toBe(added.body.id);
    expect(await isCounted(added.body.id, 2)).toMatchObject({ text: 'Call back', author });
  });

  it('reads its setting, and answers its own problems', async () => {
    const longest = await api.post(NOTES, { body: { text: 'x'.repeat(MAX_LENGTH) } });
    const tooLong = await api.post(NOTES, { body: { text: 'x'.repeat(MAX_LENGTH + 1) } });
    const missing = await api.get(`${NOTES}/${randomUUID()}`);

    expect(longest.status).toBe(201);
    expect(tooLong).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(tooLong.body.errors).toMatchObject([{ pointer: '/text' }]);
    expect(missing).toMatchObject({ status: 404, body: { code: 'NOTE_NOT_FOUND' } });
  });

  it('asks the host for its permissions', async () => {
    const reader = await clientOf('reader', { permissions: ['note:view'] });
    const { body: note } = await api.post(NOTES, { body: { text: 'For readers' } });

    expect((await reader.get(`${NOTES}/${note.id}`)).status).toBe(200);
    expect((await reader.post(NOTES, { body: { text: 'No' } })).status).toBe(403);
    expect((await reader.as(null).get(`${NOTES}/${note.id}`)).status).toBe(401);
  });

  it('reads and changes a record of the entities module, in its own function and transaction', async () => {
    await saveAesKey(api);
    const code = `noted-${randomUUID()}`;
    const properties = {
      name: { type: 'string' },
      number: { type: 'string', 'x-unique': true },
      secret: { type: 'string', 'x-encrypted': true },
      text: { type: 'string' },
    };
    const uiSchemaJson = { type: 'object', properties };
    await api.post('/api/v1/entity-definitions', { body: { code, name: 'Noted', uiSchemaJson } });
    const records = `/api/v1/dynamic/${code}`;
    const text = 'x'.repeat(350_000);
    const long = { name: 'Mai', number: '1', secret: 'A5', text };
    const { body: record } = await api.post(records, { body: long });
    await api.post(records, { body: { number: '2' } });
    const about = { entity: code, id: record.id };
    const add = (change: object) =>
      api.post(NOTES, { body: { text: 'Moved', about: { ...about, change } } });

    const added = await add({ name: 'Lan' });
    const refused = await add({ number: '2' });
    const unseen = await api.post(NOTES, {
      body: { text: 'No', about: { ...about, id: randomUUID() } },
    });

    expect(added).toMatchObject({ status: 201, body: { about } });
    expect((await api.get(`${NOTES}/${added.body.id}`)).body).toMatchObject({ about });
    expect(refused).toMatchObject({ status: 409, body: { code: 'UNIQUE_VIOLATION' } });
    expect(unseen).toMatchObject({ status: 404, body: { code: 'RECORD_NOT_FOUND' } });
    const now = (await api.get(`${records}/${record.id}`)).body;
    expect(now).toMatchObject({ ...long, name: 'Lan', version: 2 });
  });

  it('is reached by POST /broker/dispatch', async () => {
    const { body } = await api.post('/broker/dispatch', {
      query: { topic: 'note.added' },
      body: { messageId: randomUUID(), payload: { id: randomUUID(), author: 'dispatched' } },
    });

    expect(body.results).toEqual([{ group: 'notes-counter', status: 'PROCESSED' }]);
  });

  it('is in the API description, with the value of its setting, and among the modules', async () => {
    const { body: document } = await api.get('/api/v1/openapi.json');
    const { body: health } = await api.get('/api/v1/health');

    expect(document.paths[NOTES].post).toMatchObject({ operationId: 'addNote', tags: ['Notes'] });
    expect(document.components.schemas.NewNote.properties.text.maxLength).toBe(MAX_LENGTH);
    expect(health.modules).toContain('notes');
  });
});
