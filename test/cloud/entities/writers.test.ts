import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { functionLog } from '../../helpers/cloud/function-log.ts';
import { api, DEFINITIONS, declare, schema, unique } from './people.ts';

describe('warm environments', () => {
  const PARALLEL = 6;
  const IN_FORCE_MS = 10_000;

  /** Sends one call to each of several environments. */
  const everywhere = <T>(call: () => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: PARALLEL }, call));
  const statuses = (answers: readonly { status: number }[]): number[] =>
    answers.map(({ status }) => status);
  const all = (status: number): number[] => Array.from({ length: PARALLEL }, () => status);

  afterAll(async () => {
    const starts = (await functionLog('entities')).filter((line) =>
      line.includes('"message":"start"'),
    );
    expect(starts.length).toBeGreaterThanOrEqual(3);
  });

  it('take an entity and a field that another one has declared, at once', async () => {
    const code = unique('late');
    const records = `/api/v1/dynamic/${code}`;
    const read = (query: Record<string, string> = {}) =>
      everywhere(() => api.get(records, { query }));
    const wider = { ...schema, properties: { ...schema.properties, city: { type: 'string' } } };

    const early = await read();
    const { status } = await api.post(DEFINITIONS, {
      body: { code, name: 'Late', uiSchemaJson: schema },
    });
    const declared = await read();
    const unknown = await read({ city: 'Huế' });
    const changed = await api.put(`${DEFINITIONS}/code/${code}/schema`, { body: wider });
    const made = await everywhere(() => api.post(records, { body: { name: 'x', city: 'Huế' } }));
    const found = await read({ city: 'Huế' });

    expect([status, changed.status]).toEqual([201, 200]);
    expect(statuses(early)).toEqual(all(404));
    expect(statuses(declared)).toEqual(all(200));
    expect(statuses(unknown)).toEqual(all(400));
    expect(statuses(made)).toEqual(all(201));
    expect(found.map(({ body }) => body.totalElements)).toEqual(all(PARALLEL));
  });

  it('all ask for a token within ten seconds after an entity ceased to be public', async () => {
    const { code, records } = await declare({ requireAuth: false });
    const stranger = api.as(null);
    const before = await everywhere(() => stranger.get(records));

    const changed = await api.put(`${DEFINITIONS}/code/${code}`, { body: { requireAuth: true } });
    const inForceAt = Date.now() + IN_FORCE_MS;
    // Use does not prolong the life of what is cached. A call counts by the time it was sent.
    while (Date.now() < inForceAt - 500) {
      await everywhere(() => stranger.get(records));
      await sleep(500);
    }
    await sleep(Math.max(0, inForceAt - Date.now()));
    const after = [
      await everywhere(() => stranger.get(records)),
      await everywhere(() => stranger.get(records)),
    ];

    expect(changed.status).toBe(200);
    expect(statuses(before)).toEqual(all(200));
    expect(after.map(statuses)).toEqual([all(401), all(401)]);
  });
});

describe('writers at the same time', () => {
  it('leave one of twenty with a unique value', async () => {
    const { records } = await declare();
    const body = { name: 'race', email: 'race@example.com' };

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.post(records, { body })),
    );

    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toMatchObject(Array.from({ length: 19 }, () => ({ status: 409 })));
  });

  it('lose none of twenty changes of one record', async () => {
    const codes = Array.from({ length: 20 }, (_, at) => `f${at}`);
    const properties = Object.fromEntries(codes.map((code) => [code, { type: 'string' }]));
    const { records } = await declare({ uiSchemaJson: { type: 'object', properties } });
    const { id } = (await api.post(records, { body: {} })).body;

    const answers = await Promise.all(
      codes.map((code) => api.put(`${records}/${id}`, { body: { [code]: 'x' } })),
    );
    const read = await api.get(`${records}/${id}`);

    expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 200));
    expect(read.body).toMatchObject(Object.fromEntries(codes.map((code) => [code, 'x'])));
  });

  it.each(['before', 'after'])(
    'never leave a reference to a record that is deleted right %s',
    async (order) => {
      const teams = await declare();
      const properties = { team: { type: 'string', 'x-reference': { entity: teams.code } } };
      const people = await declare({ uiSchemaJson: { type: 'object', properties } });

      for (let round = 0; round < 4; round += 1) {
        const team = (await api.post(teams.records, { body: { name: 'T' } })).body.id;
        const early = order === 'before' ? api.delete(`${teams.records}/${team}`) : undefined;
        const reference = api.post(people.records, { body: { team } });
        const deletion = await (early ?? api.delete(`${teams.records}/${team}`));
        const { status, body } = await reference;
        const target = await api.get(`${teams.records}/${team}`);
        const pointing = await api.get(people.records, { query: { team, consistent: 'true' } });

        // Both may be refused: the mark of the deletion stops the reference that stops the deletion.
        const outcomes = [
          '201 undefined 409',
          '400 REFERENCE_NOT_FOUND 204',
          '409 DELETION_IN_PROGRESS 204',
          '409 DELETION_IN_PROGRESS 409',
        ];
        expect(outcomes).toContain(`${status} ${body.code} ${deletion.status}`);
        expect(target.status).toBe(deletion.status === 204 ? 404 : 200);
        expect(pointing.body.totalElements).toBe(status === 201 ? 1 : 0);
      }
    },
  );

  it('never make a cycle of two moves', async () => {
    const { records } = await declare({ hierarchical: true });
    const make = async (name: string, parentId?: string): Promise<string> =>
      (await api.post(records, { body: { name, ...(parentId && { parentId }) } })).body.id;
    const [a, b] = [await make('A'), await make('B')];
    const [a1, b1] = [await make('A1', a), await make('B1', b)];

    const moves = await Promise.all([
      api.put(`${records}/${a}`, { body: { parentId: b1 } }),
      api.put(`${records}/${b}`, { body: { parentId: a1 } }),
    ]);
    const tree = await api.get(`${records}/tree`);

    expect(moves.map(({ status }) => status).sort()).toEqual([200, 409]);
    const size = (nodes: { children: [] }[]): number =>
      nodes.reduce((sum, { children }) => sum + 1 + size(children), 0);
    expect(size(tree.body)).toBe(4);
  });
});
