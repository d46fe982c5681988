import { describe, expect, it } from 'vitest';
import { contentOf, RECORDS } from '../entities-api.ts';
import { anInterruptibleApi, expectSettled } from './interrupted.ts';

const TEAMS = `${RECORDS}/team`;
const PEOPLE = `${RECORDS}/person`;

/** People whose team and clubs are cleared when those are deleted. */
async function withPeople() {
  const api = anInterruptibleApi();
  const { define, get, post } = api;
  const name = { type: 'string' };
  const teams = { code: 'team', name: 'Team' };
  await define({ ...teams, uiSchemaJson: { type: 'object', properties: { name } } });
  const team = { type: 'string', 'x-reference': { entity: 'team', onDelete: 'setNull' } };
  const clubs = { type: 'array', items: { type: 'string' }, 'x-reference': team['x-reference'] };
  const properties = { name, team, clubs };
  const people = { code: 'person', name: 'Person', options: { history: true } };
  const defined = await define({ ...people, uiSchemaJson: { type: 'object', properties } });
  expect(defined.status, defined.text).toBe(201);
  const make = async (path: string, values: object): Promise<string> =>
    String((await post(path, values)).body.id);
  return {
    ...api,
    make,
    people: async () =>
      contentOf(await get(`${PEOPLE}?sort=name`)).map((each) => [each.name, each.team, each.clubs]),
  };
}

describe('references with onDelete: setNull', () => {
  it('stay when their target is restored before the job comes to them', async () => {
    const api = await withPeople();
    const { make, remove, post, runJobs, people } = api;
    const team = await make(TEAMS, { name: 'T' });
    await make(PEOPLE, { name: 'a', team });

    await remove(`${TEAMS}/${team}`);
    await post(`${TEAMS}/${team}/restore`);
    await make(PEOPLE, { name: 'b', team });
    await runJobs();

    expect(await people()).toEqual([
      ['a', team, undefined],
      ['b', team, undefined],
    ]);
    expectSettled(api, 'after the job');
  });

  it('stay when their target is restored between two of them', async () => {
    const api = await withPeople();
    const { make, remove, post, runJobs, people, context } = api;
    const team = await make(TEAMS, { name: 'T' });
    for (const name of ['a', 'b']) await make(PEOPLE, { name, team });
    await remove(`${TEAMS}/${team}`);
    let cleared = 0;
    const stop = context.db.before('TransactWriteItems', async ({ input }) => {
      if (!JSON.stringify(input).includes('DYN_RECORD#person')) return;
      cleared += 1;
      if (cleared !== 2) return;
      stop();
      expect((await post(`${TEAMS}/${team}/restore`)).status).toBe(200);
    });

    await runJobs();

    expect(await people()).toEqual([
      ['a', team, undefined],
      ['b', undefined, undefined],
    ]);
    expectSettled(api, 'after the job');
  });

  it('of a record in the trash are cleared when it comes back without them', async () => {
    const { make, remove, post, get, settle } = await withPeople();
    const [gone, kept] = [await make(TEAMS, { name: 'T' }), await make(TEAMS, { name: 'U' })];
    const id = await make(PEOPLE, { name: 'a', team: gone, clubs: [gone, kept] });
    await remove(`${PEOPLE}/${id}`);
    await remove(`${TEAMS}/${gone}?purge=true`);
    await settle();

    const restored = await post(`${PEOPLE}/${id}/restore`);
    const [change] = contentOf(await get(`${PEOPLE}/${id}/history`));

    expect(restored.status, restored.text).toBe(200);
    expect(restored.body).toMatchObject({ name: 'a', clubs: [kept] });
    expect(restored.body).not.toHaveProperty('team');
    expect(change).toMatchObject({
      action: 'RESTORED',
      changes: [{ field: 'team' }, { field: 'clubs' }],
    });
  });
});
