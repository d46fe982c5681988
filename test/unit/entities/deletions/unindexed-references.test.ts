import { describe, expect, it } from 'vitest';
import type { StorableItem } from '../../../../shared/store/table.ts';
import { loadRecords } from '../../../helpers/entity-costs/load-records.ts';
import { anEntitiesApi, DEFINITIONS, RECORDS } from '../entities-api.ts';

const TEAMS = `${RECORDS}/team`;
const PEOPLE = `${RECORDS}/person`;
const form = (properties: object) => ({ type: 'object', properties });
const name = { type: 'string', 'x-searchable': false };

/** Many people, the oldest of them in a team, by a field whose index is not built yet. */
async function withManyPeople(onDelete: string, count: number) {
  const api = anEntitiesApi();
  await api.define({ code: 'team', name: 'Team', uiSchemaJson: form({ name }) });
  await api.define({ code: 'person', name: 'Person', uiSchemaJson: form({ name }) });
  const team = String((await api.post(TEAMS, { name: 'T' })).body.id);
  const [oldest] = await loadRecords(
    api.context,
    'person',
    Array.from({ length: count }, (_, at) => ({ name: `p${at}` })),
  );
  const changed = await api.put(
    `${DEFINITIONS}/code/person/schema`,
    form({ name, team: { type: 'string', 'x-reference': { entity: 'team', onDelete } } }),
  );
  expect(changed.status, changed.text).toBe(200);
  api.context.clock.advance(10_001);
  expect((await api.put(`${PEOPLE}/${oldest}`, { team })).status).toBe(200);
  return { ...api, team, oldest };
}

describe('a deletion whose references no index tells yet', () => {
  it('is refused after a look at some 200 records, and decided when the index is built', async () => {
    const { remove, runJobs, team, context } = await withManyPeople('restrict', 450);

    context.db.meter.reset();
    const unclear = await remove(`${TEAMS}/${team}`);
    const { requests, readUnits } = context.db.meter.total();
    await runJobs();
    const decided = await remove(`${TEAMS}/${team}`);

    expect(unclear).toMatchObject({
      status: 409,
      body: { code: 'REFERENCED', entity: 'person', field: 'team' },
    });
    expect(unclear.body.detail).toMatch(/It is not known .* index of the field is being built/);
    expect(readUnits).toBeLessThan(330);
    expect(requests.length).toBeLessThan(25);
    expect(decided.body.detail).toBe('Records of person refer to this record in their field team.');
  });

  it('is decided at once where there are few records', async () => {
    const { put, remove, team, oldest } = await withManyPeople('restrict', 20);

    const refused = await remove(`${TEAMS}/${team}`);
    await put(`${PEOPLE}/${oldest}`, { team: null });
    const free = await remove(`${TEAMS}/${team}`);

    expect(refused.body.detail).toBe('Records of person refer to this record in their field team.');
    expect(free.status, free.text).toBe(204);
  });

  it('clears the references by a job that goes on where its last step came to', async () => {
    const { get, remove, deliver, team, oldest, context } = await withManyPeople('setNull', 2_100);
    const before = context.bus.events.length;

    expect((await remove(`${TEAMS}/${team}`)).status).toBe(204);
    for (let at = before; at < context.bus.events.length; at += 1) {
      expect(at - before, 'the job does not end').toBeLessThan(20);
      const event = context.bus.events[at];
      if (event) await deliver(event.envelope);
    }

    expect((await get(`${PEOPLE}/${oldest}`)).body).not.toHaveProperty('team');
  });

  it('is refused where the field became secret by an earlier version', async () => {
    const { remove, runJobs, team, context } = await withManyPeople('restrict', 2);
    await runJobs();
    const stored = context.db.items().find(({ sk }) => /^DYN_FIELD.*#team$/.test(String(sk)));
    const field = Object(stored?.field);
    const secret = { ...field, encrypted: true, searchable: false };
    await context.unitOfWork(async (unit) =>
      unit.put({ ...(stored as StorableItem), field: secret }),
    );

    const refused = await remove(`${TEAMS}/${team}`);

    expect(refused).toMatchObject({ status: 409, body: { code: 'REFERENCED' } });
    expect(refused.body.detail).toMatch(/not searchable/);
  });
});

describe('a reference of a secret field', () => {
  it.each([{ 'x-encrypted': true }, { writeOnly: true }])(
    'cannot guard its target: %j',
    async (secret) => {
      const { define } = anEntitiesApi();
      const boss = (onDelete?: string) => ({
        code: 'worker',
        name: 'Worker',
        uiSchemaJson: form({
          name,
          boss: { type: 'string', ...secret, 'x-reference': { entity: 'worker', onDelete } },
        }),
      });

      const errors = [{ pointer: '/properties/boss/x-reference/onDelete', code: 'NOT_SEARCHABLE' }];
      for (const onDelete of [undefined, 'restrict', 'setNull']) {
        const refused = await define(boss(onDelete));
        expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_SCHEMA', errors } });
      }
      expect((await define(boss('none'))).status).toBe(201);
    },
  );
});
