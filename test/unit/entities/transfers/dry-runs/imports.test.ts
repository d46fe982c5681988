import { describe, expect, it } from 'vitest';
import { anEntitiesApi, type EntitiesApi, RECORDS } from '../../entities-api.ts';

const DEVICES = `${RECORDS}/device`;
const ABSENT = '00000000-0000-7000-8000-00000000ffff';

async function aStock(): Promise<EntitiesApi & { readonly team: string }> {
  const api = anEntitiesApi();
  const team = { type: 'string', 'x-reference': { entity: 'team' } };
  const properties = { name: { type: 'string' } };
  await api.define({ code: 'team', name: 'Team', uiSchemaJson: { type: 'object', properties } });
  await api.define({
    ...{ code: 'device', name: 'Device' },
    uiSchemaJson: {
      type: 'object',
      properties: {
        code: { type: 'string', 'x-unique': true },
        parts: { type: 'array', items: { type: 'string', 'x-reference': { entity: 'device' } } },
        team,
      },
    },
  });
  const made = await api.post(`${RECORDS}/team`, { name: 'a' });
  return { ...api, team: String(made.body.id) };
}

/** What a dry run says, and what the import does that follows it. */
async function bothRuns(api: EntitiesApi, rows: readonly unknown[], query = '') {
  const dry = await api.post(`${DEVICES}/import?dryRun=true${query}`, rows);
  const real = await api.post(`${DEVICES}/import?dryRun=false${query}`, rows);
  expect([dry.status, real.status]).toEqual([200, 200]);
  const inShort = ({ body }: typeof dry) => ({
    ...body,
    errors: (body.errors as readonly { row: number; code: string }[])
      .map(({ row, code }) => `${row} ${code}`)
      .sort(),
  });
  return { dry: inShort(dry), real: inShort(real) };
}

describe('a dry run of an import', () => {
  it('foretells nothing when the table cannot be reached', async () => {
    const api = await aStock();
    const { db } = api.context;
    const uiSchemaJson = { type: 'object', properties: { name: { type: 'string' } } };
    await api.define({ code: 'unit', name: 'Unit', hierarchical: true, uiSchemaJson });
    const unit = await api.post(`${RECORDS}/unit`, { name: 'a' });
    const rows = [{ name: 'b', parentId: unit.body.id }];
    const failOnce = db.before('BatchGetItem', () => {
      failOnce();
      db.failNext('network', { times: 3 });
    });

    const { status, body } = await api.post(`${RECORDS}/unit/import?dryRun=true`, rows);

    expect({ status, code: body.code }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  });

  it('says of references what the import does', async () => {
    const api = await aStock();
    const own = (number: number) => `00000000-0000-7000-8000-00000000000${number}`;

    const { dry, real } = await bothRuns(api, [
      { code: 'a', team: ABSENT },
      { code: 'b', team: api.team },
      { id: own(1), code: 'c', parts: [own(2)] },
      { id: own(2), code: 'd', parts: [] },
      { code: 'e', parts: [ABSENT] },
    ]);

    expect(dry).toEqual(real);
    expect(dry).toEqual({
      ...{ created: 3, updated: 0, failed: 2 },
      errors: ['1 REFERENCE_NOT_FOUND', '5 REFERENCE_NOT_FOUND'],
    });
  });

  it('says of unique values what the import does: those of records and those of other rows', async () => {
    const api = await aStock();
    await api.post(DEVICES, { code: 'taken' });

    const { dry, real } = await bothRuns(api, [
      { code: 'Taken' },
      { code: 'x' },
      { code: 'X' },
      { code: 'y' },
    ]);

    expect(dry).toEqual(real);
    expect(dry).toMatchObject({ created: 2, failed: 2 });
  });

  it('says it of changes as well, and follows values from row to row', async () => {
    const api = await aStock();
    const [one, two] = await Promise.all(
      ['one', 'two'].map(async (code) => String((await api.post(DEVICES, { code })).body.id)),
    );

    const { dry, real } = await bothRuns(
      api,
      [
        { id: one, code: 'three' },
        { id: two, code: 'one' },
        { id: two, team: ABSENT },
      ],
      '&mode=upsert&key=id',
    );

    expect(dry).toEqual(real);
    expect(dry).toMatchObject({ updated: 2, failed: 1, errors: ['3 REFERENCE_NOT_FOUND'] });
  });

  it('says of ids what the import does: those of records, in the trash as well, and those of other rows', async () => {
    const api = await aStock();
    const ids = [1, 2, 3].map((number) => `00000000-0000-7000-8000-00000000000${number}`);
    for (const id of ids.slice(0, 2)) await api.post(DEVICES, { id, code: `c${id.at(-1)}` });
    await api.remove(`${DEVICES}/${ids[1]}`);

    const { dry, real } = await bothRuns(api, [
      { id: ids[0], code: 'a' },
      { id: ids[1], code: 'b' },
      { id: ids[2], code: 'c' },
      { id: ids[2], code: 'd' },
      { code: 'a' },
    ]);

    expect(dry).toEqual(real);
    expect(dry).toEqual({
      ...{ created: 2, updated: 0, failed: 3 },
      errors: ['1 RECORD_EXISTS', '2 RECORD_EXISTS', '4 RECORD_EXISTS'],
    });
  });

  it('says of rows that refer to a refused one what the import does', async () => {
    const api = await aStock();
    const own = (number: number) => `00000000-0000-7000-8000-00000000000${number}`;
    await api.post(DEVICES, { code: 'taken' });

    const { dry, real } = await bothRuns(api, [
      { id: own(1), code: 'a', parts: [own(2)] },
      { id: own(2), code: 'b', parts: [own(3)] },
      { id: own(3), code: 'taken' },
      { id: own(4), code: 'd', parts: [own(5)] },
      { id: own(5), code: 'e' },
    ]);

    expect(dry).toEqual(real);
    expect(dry).toMatchObject({
      created: 2,
      errors: ['1 REFERENCE_NOT_FOUND', '2 REFERENCE_NOT_FOUND', '3 UNIQUE'],
    });
  });

  it('says of places in a tree what the import does', async () => {
    const api = await aStock();
    const units = `${RECORDS}/unit`;
    const properties = { name: { type: 'string' } };
    const uiSchemaJson = { type: 'object', properties };
    await api.define({ code: 'unit', name: 'Unit', hierarchical: true, uiSchemaJson });
    const above = (await api.post(units, { name: 'a' })).body.id;
    const below = (await api.post(units, { name: 'b', parentId: above })).body.id;
    const rows = [{ id: above, parentId: below }];

    const [dry, real] = [
      await api.post(`${units}/import?mode=upsert&dryRun=true`, rows),
      await api.post(`${units}/import?mode=upsert`, rows),
    ];

    expect(dry.body).toEqual(real.body);
    expect(dry.body).toMatchObject({ failed: 1, errors: [{ code: 'HIERARCHY_CYCLE' }] });
  });

  it('says of rows with one key what the upsert does: the later ones change the record of the first', async () => {
    const api = await aStock();
    const rows = [
      { code: 'a' },
      { code: 'b' },
      { code: 'a', team: api.team },
      { code: 'a', team: null },
    ];

    const { dry, real } = await bothRuns(api, rows, '&mode=upsert&key=code');

    expect(dry).toEqual(real);
    expect(dry).toEqual({ created: 2, updated: 2, failed: 0, errors: [] });
    expect((await api.get(`${DEVICES}?code=a`)).body.content).toEqual([
      expect.not.objectContaining({ team: api.team }),
    ]);
  });

  it('says that it may be wrong to callers who may not view every record, and not what those hold', async () => {
    let rowFilter: Readonly<Record<string, unknown>> | undefined;
    const hasPermission = (_who: unknown, target: string) =>
      rowFilter && target === 'chips' ? { allowed: true, rowFilter } : true;
    const api = anEntitiesApi({ host: { permissionEvaluator: { hasPermission } } });
    const properties = { code: { type: 'string', 'x-unique': true }, kind: { type: 'string' } };
    await api.define({
      ...{ code: 'chip', name: 'Chip', apiPath: 'chips', requirePermission: true },
      uiSchemaJson: { type: 'object', properties },
    });
    const path = `${RECORDS}/chip/import`;
    await api.post(`${RECORDS}/chip`, { code: 'hidden', kind: 'other' });
    rowFilter = { kind: 'own' };

    for (const code of ['hidden', 'free']) {
      const { body } = await api.post(`${path}?dryRun=true`, [{ code, kind: 'own' }]);
      expect(body).toEqual({ created: 1, updated: 0, failed: 0, errors: [], exact: false });
    }
    expect((await api.post(path, [{ code: 'hidden', kind: 'own' }])).body).toMatchObject({
      ...{ created: 0, failed: 1 },
    });
  });

  it('stores nothing', async () => {
    const api = await aStock();

    await api.post(`${DEVICES}/import?dryRun=true`, [{ code: 'a', team: api.team }]);

    expect((await api.get(`${DEVICES}/count`)).body.count).toBe(0);
  });
});
