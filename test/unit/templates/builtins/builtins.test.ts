import { describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { aTemplatesApi, ofTenant } from '../templates-api.ts';

const BUILTINS = '/api/v1/builtin-merge-fields';
const hotline = { code: 'hotline', label: 'Đường dây nóng', value: '1900 1234' };
const codesOf = ({ body }: ApiAnswer) =>
  (body.content as readonly { readonly code: string }[]).map(({ code }) => code);

describe('GET /api/v1/builtin-merge-fields', () => {
  it('lists values of the platform and constants of the tenant', async () => {
    const api = aTemplatesApi();
    await api.post(BUILTINS, hotline);
    await api.post(BUILTINS, { ...hotline, code: 'other' }, { caller: ofTenant('north') });

    const all = await api.get(`${BUILTINS}?size=100`);

    expect(codesOf(all)).toEqual(expect.arrayContaining(['today', 'documentNumber', 'hotline']));
    expect(codesOf(all)).not.toContain('other');
    expect(all.body).toMatchObject({ last: true, totalRelation: 'eq' });
    expect(codesOf(await api.get(`${BUILTINS}?category=CONSTANT`))).toEqual(['hotline']);
    expect(codesOf(await api.get(`${BUILTINS}?q=NÓNG`))).toEqual(['hotline']);
    expect((await api.get(`${BUILTINS}?size=1&page=1`)).body).toMatchObject({
      ...{ number: 1, size: 1, numberOfElements: 1, last: false },
    });
  });
});

describe('a builtin merge field', () => {
  it('is read in any case', async () => {
    const api = aTemplatesApi();

    expect((await api.get(`${BUILTINS}/TODAY`)).body).toMatchObject({
      code: 'today',
      system: true,
    });
    expect(await api.get(`${BUILTINS}/tomorrow`)).toMatchObject({
      status: 404,
      body: { code: 'BUILTIN_NOT_FOUND' },
    });
  });

  it('of the platform cannot be changed', async () => {
    const api = aTemplatesApi();
    const facts = { label: 'x', value: 'y' };

    for (const answer of [
      await api.post(BUILTINS, { ...hotline, code: 'ToDay' }),
      await api.put(`${BUILTINS}/today`, facts),
      await api.remove(`${BUILTINS}/today`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([409, 'BUILTIN_IS_SYSTEM']);
    }
  });

  it('of a tenant is added once, replaced by version and deleted', async () => {
    const api = aTemplatesApi();

    const made = await api.post(BUILTINS, hotline);
    const twice = await api.post(BUILTINS, { ...hotline, code: 'HOTLINE' });
    const next = await api.put(`${BUILTINS}/Hotline`, { ...made.body, value: '1900 5678' });
    const stale = await api.put(`${BUILTINS}/hotline`, { ...hotline, version: 1 });
    const kept = await api.remove(`${BUILTINS}/hotline`, { headers: { 'if-match': '"1"' } });
    const gone = await api.remove(`${BUILTINS}/hotline`, { headers: { 'if-match': '"2"' } });

    expect(made).toMatchObject({
      ...{ status: 201, headers: { etag: '"1"' } },
      body: { ...hotline, category: 'CONSTANT', system: false, dataType: 'STRING', version: 1 },
    });
    expect([twice.status, twice.body.code]).toEqual([409, 'BUILTIN_EXISTS']);
    expect(next.body).toMatchObject({ code: 'hotline', value: '1900 5678', version: 2 });
    expect([stale.status, kept.status, gone.status]).toEqual([412, 412, 204]);
    expect((await api.get(`${BUILTINS}/hotline`)).status).toBe(404);
  });
});

describe('POST /api/v1/builtin-merge-fields/resolve', () => {
  it('shows texts as a document of now has them', async () => {
    const api = aTemplatesApi();
    await api.post(BUILTINS, hotline);
    const caller = { sub: 'lan', roles: ['admin'], name: 'Nguyễn Thị Lan', email: 'lan@x.vn' };
    const codes = [
      'today',
      'now',
      'currentUserFullName',
      'hotline',
      'documentNumber',
      'companyName',
    ];

    const answer = await api.post(`${BUILTINS}/resolve`, { codes }, { caller });
    const abroad = await api.post(
      `${BUILTINS}/resolve`,
      { codes: ['now'], locale: 'en-GB', zoneId: 'UTC' },
      { caller },
    );

    expect(answer.body).toEqual({
      today: '01/03/2026',
      now: '01/03/2026 16:30',
      currentUserFullName: 'Nguyễn Thị Lan',
      hotline: '1900 1234',
      documentNumber: null,
      companyName: null,
    });
    expect(abroad.body.now).toBe('01/03/2026 09:30');
    expect(Object.keys((await api.post(`${BUILTINS}/resolve`, {})).body)).toContain('uuid');
  });

  it('names what it does not know', async () => {
    const api = aTemplatesApi();

    const unknown = await api.post(`${BUILTINS}/resolve`, { codes: ['tomorrow'] });
    const zone = await api.post(`${BUILTINS}/resolve`, { zoneId: 'Mars' });

    expect([unknown.status, unknown.body.code]).toEqual([404, 'BUILTIN_NOT_FOUND']);
    expect(zone.body.errors).toMatchObject([{ pointer: '/zoneId' }]);
  });
});
