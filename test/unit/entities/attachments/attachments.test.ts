import { describe, expect, it } from 'vitest';
import { anEntitiesApi, DEFINITIONS, RECORDS } from '../entities-api.ts';
import { DEALS, type Decide, deal, deals, factsOf, file, sweep, type World } from './deals.ts';

describe('the file of a record', () => {
  it('is announced, uploaded, named by a record and downloaded by a link', async () => {
    const api = await deals();
    const announced = await api.announce('pdf');
    expect(announced.body).toMatchObject({ state: 'WAITING', upload: { method: 'PUT' } });
    expect((await api.send(announced, 'pdf')).status).toBeLessThan(300);
    const status = await api.get(String(announced.headers.location));
    expect(status.body).toMatchObject({ state: 'UPLOADED', id: announced.body.id });
    expect(status.body).not.toHaveProperty('upload');

    const made = await api.post(DEALS, { name: 'A', contract: announced.body.id });
    expect(made.status, made.text).toBe(201);
    const linked = await api.get(`${made.headers.location}/files/contract`);
    expect(linked.body).toMatchObject({
      fileName: 'hợp đồng.pdf',
      contentType: 'application/pdf',
      ...factsOf('pdf'),
    });
    const path = String(linked.body.url).replace('http://api.example.com', '');
    const downloaded = await api.call({ method: 'GET', path, caller: null });
    expect(downloaded.text).toBe('pdf');
    expect(downloaded.headers['content-disposition']).toContain('attachment');
    expect((await api.get(String(announced.headers.location))).status).toBe(404);
    await sweep(api, 48 * 3_600_000);
    expect(api.stored()).toEqual(['pdf']);
  });

  it('is deleted when another one takes its place, or none', async () => {
    const api = await deals();
    const made = await api.post(DEALS, { contract: await api.uploaded('one') });
    const path = String(made.headers.location);
    expect((await api.put(path, { contract: await api.uploaded('two') })).status).toBe(200);
    await sweep(api);
    expect(api.stored()).toEqual(['two']);
    expect((await api.put(path, { contract: null })).status).toBe(200);
    await sweep(api);
    expect(api.stored()).toEqual([]);
    expect((await api.get(`${path}/files/contract`)).body).toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });

  it('stays with changes of other fields, with what is sent back, and in the trash', async () => {
    const api = await deals();
    const id = await api.uploaded('one');
    const made = await api.post(DEALS, { contract: id });
    const path = String(made.headers.location);
    expect((await api.put(path, { ...made.body, name: 'B' })).body).toMatchObject({ contract: id });
    expect((await api.put(path, { photo: id, contract: null })).body).toMatchObject({ photo: id });
    await api.remove(path);
    await sweep(api);
    expect((await api.get(`${path}/files/photo`)).status).toBe(404);
    expect((await api.post(`${path}/restore`)).status).toBe(200);
    expect((await api.get(`${path}/files/photo`)).status).toBe(200);
    expect(api.stored()).toEqual(['one']);
  });

  it.each<[string, (api: World, path: string) => Promise<unknown>]>([
    ['is purged', (api, path) => api.remove(`${path}?purge=true`)],
    [
      'is purged from the trash',
      async (api, path) => {
        await api.remove(path);
        await api.remove(`${path}?purge=true`);
      },
    ],
    [
      'has been in the trash long enough',
      async (api, path) => {
        await api.remove(path);
        await sweep(api, 31 * 86_400_000);
      },
    ],
    ['goes with its entity', (api) => api.remove(`${DEFINITIONS}/code/deal?force=true&purge=true`)],
    [
      'is purged, its field being gone',
      async (api, path) => {
        const { contract: _contract, ...properties } = deal.uiSchemaJson.properties;
        const { status } = await api.put(`${DEFINITIONS}/code/deal/schema`, {
          uiSchemaJson: { type: 'object', properties },
        });
        expect(status).toBe(200);
        await sweep(api);
        await api.remove(`${path}?purge=true`);
      },
    ],
  ])('is deleted when the record %s', async (_how, act) => {
    const api = await deals();
    const made = await api.post(DEALS, { contract: await api.uploaded('one') });
    await act(api, String(made.headers.location));
    for (let round = 0; round < 3; round += 1) await sweep(api);
    expect(api.stored()).toEqual([]);
    expect(api.context.db.items().filter(({ sk }) => String(sk).startsWith('DYN_FILE#'))).toEqual(
      [],
    );
  });
});

describe('a file that no record has come to name', () => {
  it('is deleted after a day, and cannot be named any more', async () => {
    const api = await deals();
    const id = await api.uploaded('lost');
    await sweep(api, 23 * 3_600_000);
    expect(api.stored()).toEqual(['lost']);
    await sweep(api, 2 * 3_600_000);
    expect(api.stored()).toEqual([]);
    const made = await api.post(DEALS, { contract: id });
    expect(made.body).toMatchObject({ status: 400, errors: [{ code: 'FILE_NOT_FOUND' }] });
  });

  it('stays for another attempt when the record is refused', async () => {
    const api = await deals();
    const id = await api.uploaded('one');
    expect((await api.post(DEALS, { contract: id, nots: 1 })).status).toBe(400);
    expect((await api.post(DEALS, { contract: id, photo: id })).body).toMatchObject({
      errors: [{ pointer: '/photo', code: 'DUPLICATE' }],
    });
    expect((await api.post(DEALS, { contract: id })).status).toBe(201);
  });
});

describe('a file of others', () => {
  it.each<[string, (api: World) => Promise<Readonly<Record<string, unknown>>>, string]>([
    [
      'of another record',
      async (api) => {
        const id = await api.uploaded('one');
        await api.post(DEALS, { contract: id });
        return { contract: id };
      },
      'FILE_NOT_FOUND',
    ],
    [
      'of another caller',
      async (api) => {
        const caller = { sub: 'somebody', roles: ['admin'] };
        const announced = await api.announce('one', {}, { caller });
        await api.send(announced, 'one');
        return { contract: announced.body.id };
      },
      'FILE_NOT_FOUND',
    ],
    ['of another field', async (api) => ({ photo: await api.uploaded('one') }), 'FILE_NOT_FOUND'],
    [
      'that is not there',
      async () => ({ contract: '00000000-0000-7000-8000-000000000009' }),
      'FILE_NOT_FOUND',
    ],
    ['that is no id', async () => ({ contract: '../secret' }), 'FILE_NOT_FOUND'],
    [
      'that is not uploaded',
      async (api) => ({ contract: (await api.announce('one')).body.id }),
      'FILE_NOT_UPLOADED',
    ],
    [
      'that is another one than was announced',
      async (api) => {
        const id = await api.uploaded('one');
        for (const path of api.files.keys()) api.files.set(path, Buffer.from('two'));
        return { contract: id };
      },
      'FILE_MISMATCH',
    ],
  ])('%s cannot be named', async (_which, valuesOf, code) => {
    const api = await deals();
    const made = await api.post(DEALS, await valuesOf(api));
    expect(made.body).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', errors: [{ code }] });
  });

  it('comes to one of two records that name it at once', async () => {
    const api = await deals();
    const id = await api.uploaded('one');
    const made = await Promise.all([1, 2, 3].map(() => api.post(DEALS, { contract: id })));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });

  it('of another entity cannot be named', async () => {
    const api = await deals();
    const other = { ...deal, code: 'lease', apiPath: 'leases' };
    await api.define(other);
    const made = await api.post(`${RECORDS}/lease`, { contract: await api.uploaded('one') });
    expect(made.body).toMatchObject({ errors: [{ code: 'FILE_NOT_FOUND' }] });
  });

  it('is any text where the field has no x-file', async () => {
    const api = await deals();
    expect((await api.post(DEALS, { free: 'https://x.example/y' })).status).toBe(201);
  });
});

describe('what may be announced', () => {
  it.each([
    [{ contentType: 'text/html' }, '/contentType'],
    [{ contentType: 'application/pdfx' }, '/contentType'],
    [{ contentType: 'nonsense' }, '/contentType'],
    [{ sizeBytes: 1_001 }, '/sizeBytes'],
    [{ sizeBytes: 0 }, '/sizeBytes'],
    [{ sha256: 'abc' }, '/sha256'],
    [{ fileName: '../x' }, '/fileName'],
    [{ field: 'name' }, '/field'],
    [{ field: 'free' }, '/field'],
    [{ field: 'nots' }, '/field'],
  ])('not %j', async (more, pointer) => {
    const api = await deals();
    const answer = await api.announce('x', more);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  it('takes every type of a family, in any case', async () => {
    const api = await deals();
    for (const contentType of ['image/png', 'IMAGE/JPEG', 'Application/PDF'])
      expect((await api.announce('x', { contentType })).status).toBe(201);
  });

  it.each<[object, string]>([
    [file({ 'x-file': true }), '/properties/contract/x-file'],
    [file({ 'x-file': { types: [] } }), '/properties/contract/x-file/types'],
    [file({ 'x-file': { types: ['pdf'] } }), '/properties/contract/x-file/types'],
    [file({ 'x-file': { maxBytes: 0 } }), '/properties/contract/x-file/maxBytes'],
    [file({ 'x-file': { maxByte: 1 } }), '/properties/contract/x-file/maxByte'],
    [file({ format: 'date' }), '/properties/contract/format'],
    [file({ 'x-encrypted': true }), '/properties/contract/x-encrypted'],
    [{ type: 'array', items: file() }, '/properties/contract/items/x-file'],
    [{ anyOf: [file(), { type: 'null' }] }, '/properties/contract/anyOf/0/x-file'],
    [
      { type: 'object', properties: { inner: { type: 'array', items: file() } } },
      '/properties/contract/properties/inner/items/x-file',
    ],
  ])('a field %j is refused at %s', async (contract, pointer) => {
    const api = anEntitiesApi();
    const uiSchemaJson = { type: 'object', properties: { contract } };
    const answer = await api.define({ code: 'deal', name: 'Deal', uiSchemaJson });
    expect(answer.body).toMatchObject({ status: 400, code: 'INVALID_SCHEMA' });
    expect((answer.body.errors as { pointer: string }[])[0]?.pointer).toBe(pointer);
  });
});

describe('files under narrowed grants', () => {
  it('are downloaded by who sees the field and the row', async () => {
    let decide: Decide = () => true;
    const api = await deals((action) => decide(action));
    const made = await api.post(DEALS, { name: 'A', contract: await api.uploaded('one') });
    const path = `${made.headers.location}/files/contract`;
    const statusUnder = async (next: Decide): Promise<number> => {
      decide = next;
      return (await api.get(path)).status;
    };
    expect(await statusUnder(() => ({ allowed: true, fields: ['name', 'contract'] }))).toBe(200);
    expect(await statusUnder(() => ({ allowed: true, fields: ['name'] }))).toBe(404);
    expect(await statusUnder(() => ({ allowed: true, rowFilter: { name: 'B' } }))).toBe(404);
    expect(await statusUnder(() => false)).toBe(403);
    expect((await api.get(path, { caller: null })).status).toBe(401);
    decide = () => ({ allowed: true, fields: ['name'] });
    const hidden = await api.get(path);
    const absent = await api.get(`${made.headers.location}/files/photo`);
    expect(hidden.body.code).toBe(absent.body.code);
    expect(hidden.body.detail).toBe(absent.body.detail);
  });

  it('are announced by who may write the field', async () => {
    let decide: Decide = () => true;
    const api = await deals((action) => decide(action));
    decide = (action) => (action === 'view' ? true : { allowed: true, fields: ['name'] });
    expect((await api.announce('x')).status).toBe(400);
    decide = (action) => action === 'view';
    expect((await api.announce('x')).status).toBe(403);
    decide = (action) => action === 'edit';
    expect((await api.announce('x')).status).toBe(201);
  });
});
