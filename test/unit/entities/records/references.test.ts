import { describe, expect, it } from 'vitest';
import { anEntitiesApi, contentOf, DEFINITIONS, RECORDS } from '../entities-api.ts';

const TEAMS = `${RECORDS}/team`;
const PEOPLE = `${RECORDS}/person`;

async function withTeams(onDelete = 'restrict', more: object = {}) {
  const api = anEntitiesApi();
  await api.define({
    code: 'team',
    name: 'Team',
    apiPath: 'teams',
    uiSchemaJson: { type: 'object', properties: { name: { type: 'string' } } },
  });
  const properties = {
    name: { type: 'string' },
    team: { type: 'string', 'x-reference': { entity: 'teams', onDelete } },
    others: {
      type: 'array',
      items: { type: 'string' },
      'x-reference': { entity: 'team', onDelete },
    },
  };
  const defined = await api.define({
    code: 'person',
    name: 'Person',
    apiPath: 'people',
    uiSchemaJson: { type: 'object', properties },
    ...more,
  });
  expect(defined.status, defined.text).toBe(201);
  const team = String((await api.post(TEAMS, { name: 'T' })).body.id);
  return { ...api, team };
}

describe('a reference', () => {
  it('must point to a live record', async () => {
    const { post, remove, team } = await withTeams();

    const fine = await post(PEOPLE, { name: 'a', team });
    const wrong = await post(PEOPLE, { name: 'a', team: '00000000-0000-7000-8000-ffffffffffff' });
    const { body: other } = await post(TEAMS, { name: 'U' });
    await remove(`${TEAMS}/${other.id}`);
    const dead = await post(PEOPLE, { name: 'a', others: [team, other.id] });

    expect(fine.status, fine.text).toBe(201);
    expect(wrong).toMatchObject({
      status: 400,
      body: { code: 'REFERENCE_NOT_FOUND', errors: [{ pointer: '/team' }] },
    });
    expect(dead).toMatchObject({ status: 400, body: { errors: [{ pointer: '/others' }] } });
  });

  it('keeps its target whichever request of the deletion fails', async () => {
    const { post, remove, get, team, context } = await withTeams();
    await post(PEOPLE, { name: 'a', team });
    const answers: string[] = [];

    for (let after = 0; after < 12; after += 1) {
      // No definition is cached, so the deletion reads that of the people.
      context.clock.advance(60_000);
      context.db.failNext('throttling', { after });
      const { body } = await remove(`${TEAMS}/${team}`);
      context.db.stopFailing();
      answers.push(String(body.code));
      expect((await get(`${TEAMS}/${team}`)).status, answers.join()).toBe(200);
    }

    expect(new Set(answers)).toEqual(new Set(['SERVICE_UNAVAILABLE', 'REFERENCED']));
  });

  it('keeps its target although a change of the target took the mark of a deletion off', async () => {
    const { post, put, remove, get, team, context } = await withTeams();
    const statuses: number[] = [];
    // The deletion has looked: the next transaction is the one that deletes.
    let transactions = 0;
    const stop = context.db.before('TransactWriteItems', async () => {
      transactions += 1;
      if (transactions < 2) return;
      stop();
      statuses.push((await put(`${TEAMS}/${team}`, { name: 'U' })).status);
      statuses.push((await post(PEOPLE, { name: 'a', team })).status);
    });

    const refused = await remove(`${TEAMS}/${team}`);

    expect(statuses).toEqual([200, 201]);
    expect(refused).toMatchObject({ status: 409, body: { code: 'REFERENCED' } });
    expect((await get(`${TEAMS}/${team}`)).status).toBe(200);
    expect((await post(PEOPLE, { name: 'b', team })).status).toBe(201);
  });

  it('keeps its target although the record that refers to it has the same id', async () => {
    const { post, remove, team } = await withTeams();
    await post(PEOPLE, { id: team, name: 'a', team });

    expect(await remove(`${TEAMS}/${team}`)).toMatchObject({
      status: 409,
      body: { code: 'REFERENCED' },
    });
  });

  it('keeps its target from being deleted', async () => {
    const { post, put, remove, team } = await withTeams();
    const { body } = await post(PEOPLE, { name: 'a', others: [team] });

    const refused = await remove(`${TEAMS}/${team}`);
    await put(`${PEOPLE}/${body.id}`, { others: null });
    const free = await remove(`${TEAMS}/${team}`);

    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'REFERENCED', entity: 'person', field: 'others' },
    });
    expect(free.status).toBe(204);
  });

  it('never dangles, in whichever order a deletion and a new reference arrive', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { post, remove, get, team } = await withTeams();
      const [first, second] =
        round % 2
          ? [remove(`${TEAMS}/${team}`), post(PEOPLE, { name: 'a', team })]
          : [post(PEOPLE, { name: 'a', team }), remove(`${TEAMS}/${team}`)];
      await Promise.all([first, second]);

      const target = await get(`${TEAMS}/${team}`);
      const pointing = contentOf(await get(`${PEOPLE}?team=${team}`));

      expect(target.status === 200 || pointing.length === 0).toBe(true);
    }
  });

  it('is cleared by a job where the schema says so', async () => {
    const { post, remove, get, runJobs, team } = await withTeams('setNull');
    const { body } = await post(PEOPLE, { name: 'a', team });

    await remove(`${TEAMS}/${team}`);
    await runJobs();

    expect((await get(`${PEOPLE}/${body.id}`)).body).not.toHaveProperty('team');
  });

  it('is shown as the record when it is expanded, as far as the caller may see that', async () => {
    const { post, put, get, team } = await withTeams();
    const { body } = await post(PEOPLE, { name: 'a', team });
    const path = `${PEOPLE}/${body.id}?expand=team`;

    const open = await get(path);
    await put(`${DEFINITIONS}/code/team`, { requirePermission: true });
    const closed = await get(path, { caller: { sub: 'lan' } });

    expect(open.body).toMatchObject({ team: { id: team, name: 'T' } });
    expect(closed.body).toMatchObject({ team });
  });

  it('to an entity that does not exist is refused', async () => {
    const { define } = anEntitiesApi();
    const properties = { a: { type: 'string', 'x-reference': { entity: 'nobody' } } };

    expect(
      await define({ code: 'x', name: 'X', uiSchemaJson: { type: 'object', properties } }),
    ).toMatchObject({
      status: 400,
      body: { code: 'INVALID_SCHEMA', errors: [{ code: 'UNKNOWN_ENTITY' }] },
    });
  });

  it('may point to its own entity', async () => {
    const { define, post, remove } = anEntitiesApi();
    const properties = { boss: { type: 'string', 'x-reference': { entity: 'worker' } } };
    await define({ code: 'worker', name: 'W', uiSchemaJson: { type: 'object', properties } });
    const { body: boss } = await post(`${RECORDS}/worker`, {});
    await post(`${RECORDS}/worker`, { boss: boss.id });

    expect(await remove(`${RECORDS}/worker/${boss.id}`)).toMatchObject({
      status: 409,
      body: { code: 'REFERENCED' },
    });
  });
});
