import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import {
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  type EntitiesApi,
  RECORDS,
} from '../entities-api.ts';

const TICKETS = `${RECORDS}/ticket`;
const DEFINITION = `${DEFINITIONS}/code/ticket`;
const text = { type: 'string' };
const properties = {
  title: text,
  owner: text,
  team: text,
  cost: { type: 'number' },
  due: { ...text, format: 'date' },
};
type Policies = readonly object[];

const OWN: Policies = [
  { actions: ['view', 'edit'], unless: { groups: ['leads'] }, rowFilter: { owner: '$user' } },
];
const an = { caller: { sub: 'an', groups: ['north'] } };
const binh = { caller: { sub: 'binh', groups: ['north', 'south'] } };
const lead = { caller: { sub: 'chi', groups: ['leads'] } };

/** Tickets of An and Bình, made before the policies were. */
async function tickets(
  policies: Policies,
  {
    decide,
    more = {},
  }: { decide?: (action: string) => boolean | PermissionDecision; more?: object } = {},
): Promise<EntitiesApi> {
  const open = anEntitiesApi();
  const definition = {
    code: 'ticket',
    name: 'Ticket',
    uiSchemaJson: { type: 'object', properties },
    ...more,
  };
  expect((await open.define(definition)).status).toBe(201);
  for (const [title, owner, team] of [
    ['a', 'an', 'north'],
    ['b', 'binh', 'south'],
    ['c', 'an', 'west'],
  ]) {
    expect(
      (await open.post(TICKETS, { title, owner, team, cost: 1, due: '2026-03-01' })).status,
    ).toBe(201);
  }
  const changed = await open.put(DEFINITION, { options: { policies } });
  expect(changed.status, changed.text).toBe(200);
  open.context.clock.advance(60_000);
  if (!decide) return open;
  const hasPermission = (_who: unknown, target: string, action: string) =>
    target === 'ticket' ? decide(action) : true;
  return anEntitiesApi({ besides: open.context, host: { permissionEvaluator: { hasPermission } } });
}

async function seen(api: EntitiesApi, by: object, query = ''): Promise<string> {
  const answer = await api.get(`${TICKETS}?sort=title${query}`, by);
  expect(answer.status, answer.text).toBe(200);
  return contentOf(answer)
    .map(({ title }) => title)
    .join('');
}

describe('policies of an entity', () => {
  it('hide a renamed field in the history when another one gets its name', async () => {
    const all = ['title', 'owner', 'team', 'due'];
    const api = await tickets([], { more: { options: { history: true } } });
    const made = await api.post(TICKETS, { title: 'd', cost: 777 });
    const policies = (fields: readonly string[]) => ({
      options: { policies: [{ actions: ['view'], unless: { groups: ['leads'] }, fields }] },
    });
    expect((await api.put(DEFINITION, policies(all))).status).toBe(200);
    const { cost, ...others } = properties;
    const price = { ...cost, 'x-renamed-from': 'cost' };
    const renamed = { ...others, price };
    for (const next of [renamed, { ...renamed, cost }]) {
      const changed = await api.put(`${DEFINITION}/schema`, { type: 'object', properties: next });
      expect(changed.status, changed.text).toBe(200);
      await api.runJobs();
    }
    expect((await api.put(DEFINITION, policies([...all, 'cost']))).status).toBe(200);
    api.context.clock.advance(60_000);

    const of = async (by: object) => (await api.get(`${TICKETS}/${made.body.id}/history`, by)).text;
    expect(await of(an)).not.toContain('777');
    expect(await of(lead)).toContain('777');
  });

  it('show and change rows of the caller, and all of them to who is exempt', async () => {
    const api = await tickets(OWN);
    expect(await seen(api, an)).toBe('ac');
    expect(await seen(api, binh)).toBe('b');
    expect(await seen(api, lead)).toBe('abc');
    const [other] = contentOf(await api.get(`${TICKETS}?title=b`, lead));
    expect((await api.get(`${TICKETS}/${other?.id}`, an)).status).toBe(404);
    expect((await api.put(`${TICKETS}/${other?.id}`, { cost: 2 }, an)).status).toBe(404);
    expect((await api.put(`${TICKETS}/${other?.id}`, { owner: 'an' }, binh)).status).toBe(403);
    expect((await api.put(`${TICKETS}/${other?.id}`, { cost: 2 }, lead)).status).toBe(200);
    expect((await api.get(`${TICKETS}/count`, an)).body).toEqual({ count: 2, relation: 'eq' });
  });

  it.each<[string, object, string]>([
    ['"$groups"', { team: '$groups' }, 'ab'],
    ['{"in": "$groups"}', { team: { in: '$groups' } }, 'ab'],
    ['groups or user', { or: [{ team: '$groups' }, { owner: { eq: '$user' } }] }, 'ab'],
    ['none of both', { not: { or: [{ team: '$groups' }, { owner: '$user' }] } }, 'c'],
    ['lists with the user', { owner: { in: ['an', '$user'] } }, 'abc'],
    ['groups beside other conditions', { and: [{ owner: 'an' }], team: '$groups' }, 'a'],
    ['today', { due: { lt: 'today' }, owner: '$user' }, ''],
    ['who made it', { createdBy: '$user' }, ''],
  ])('know %s', async (_what, rowFilter, expected) => {
    const api = await tickets([{ actions: ['view'], rowFilter }]);
    expect(await seen(api, binh)).toBe(expected);
  });

  it('show nothing by groups to who has none, and everything of many groups', async () => {
    const api = await tickets([{ actions: ['view'], rowFilter: { team: '$groups' } }]);
    expect(await seen(api, { caller: { sub: 'x' } })).toBe('');
    const groups = [...Array.from({ length: 250 }, (_, at) => `g${at}`), 'west'];
    expect(await seen(api, { caller: { sub: 'x', groups } })).toBe('c');
  });

  it('take groups of any number, in as many places as there are conditions', async () => {
    const or = Array.from({ length: 20 }, () => ({ team: '$groups' }));
    const api = await tickets([{ actions: ['view'], rowFilter: { or } }]);
    const groups = [...Array.from({ length: 600 }, (_, at) => `g${at}`), 'west'];
    expect(await seen(api, { caller: { sub: 'x', groups } })).toBe('c');
  });

  it('narrow each other, and what the host allows', async () => {
    const policies = [
      { actions: ['view'], rowFilter: { owner: '$user' } },
      { actions: ['view'], fields: ['title', 'team', 'owner'] },
      { actions: ['view'], rowFilter: { team: { ne: 'west' } } },
    ];
    const api = await tickets(policies);
    const [only, ...others] = contentOf(await api.get(TICKETS, an));
    expect(others).toEqual([]);
    expect(Object.keys(only ?? {})).not.toContain('cost');
    const host = await tickets(policies, {
      more: { requirePermission: true },
      decide: () => ({
        allowed: true,
        fields: ['title', 'cost', 'owner'],
        rowFilter: { title: { ne: 'c' } },
      }),
    });
    const [both] = contentOf(await host.get(TICKETS, an));
    expect(both).toMatchObject({ title: 'a', owner: 'an' });
    expect(Object.keys(both ?? {}).filter((code) => code === 'cost' || code === 'team')).toEqual(
      [],
    );
    const never = await tickets(OWN, { more: { requirePermission: true }, decide: () => false });
    expect((await never.get(TICKETS, lead)).status).toBe(403);
  });

  it('refuse actions, hold for new records, and set their values', async () => {
    const api = await tickets([
      { actions: ['delete'], unless: { groups: ['leads'] }, allowed: false },
      { actions: ['add'], presets: { owner: '$user' }, rowFilter: { team: '$groups' } },
    ]);
    const [first] = contentOf(await api.get(TICKETS, an));
    expect((await api.remove(`${TICKETS}/${first?.id}`, an)).status).toBe(403);
    expect((await api.remove(`${TICKETS}/${first?.id}`, lead)).status).toBe(204);
    const made = await api.post(TICKETS, { title: 'd', owner: 'binh', team: 'north' }, an);
    expect(made.body).toMatchObject({ owner: 'an' });
    expect((await api.post(TICKETS, { title: 'e', team: 'south' }, an)).status).toBe(403);
    const schema = await api.get(`${TICKETS}/schema`, an);
    expect(schema.body.permissions).toEqual({ view: true, add: true, edit: true, delete: false });
  });

  it('concern anonymous callers, jobs by filter and exports as well', async () => {
    const api = await tickets(OWN, { more: { requireAuth: false } });
    expect(await seen(api, { caller: null })).toBe('');
    expect((await api.get(`${TICKETS}/export?format=json`, an)).body).toHaveLength(2);
    const job = await api.post(`${TICKETS}/bulk:update`, { filter: {}, data: { cost: 9 } }, an);
    await api.runJobs();
    expect((await api.get(String(job.headers.location), an)).body).toMatchObject({ processed: 2 });
    expect(await seen(api, lead, '&cost=9')).toBe('ac');
  });

  it('are kept and replaced as a whole', async () => {
    const api = await tickets(OWN);
    await api.put(DEFINITION, { name: 'Renamed', options: { history: true } });
    expect((await api.get(DEFINITION)).body).toMatchObject({ options: { policies: OWN } });
    await api.put(DEFINITION, { options: { policies: [] } });
    api.context.clock.advance(60_000);
    expect(await seen(api, an)).toBe('abc');
  });

  it.each<[object, string]>([
    [
      JSON.parse('{"actions":["view"],"rowFilter":{"__proto__":"x"}}'),
      '/options/policies/0/rowFilter/__proto__',
    ],
    [
      JSON.parse('{"actions":["add"],"presets":{"__proto__":"x"}}'),
      '/options/policies/0/presets/__proto__',
    ],
    [
      JSON.parse('{"actions":["add"],"presets":{"title":{"__proto__":"x"}}}'),
      '/options/policies/0/presets/title/__proto__',
    ],
    [{ actions: [], rowFilter: {} }, '/options/policies/0/actions'],
    [{ actions: ['read'], rowFilter: {} }, '/options/policies/0/actions/0'],
    [{ actions: ['view'] }, '/options/policies/0'],
    [{ actions: ['view'], allowed: true }, '/options/policies/0/allowed'],
    [{ actions: ['view'], rowFilters: {} }, '/options/policies/0/rowFilters'],
    [{ actions: ['view'], fields: ['nots'] }, '/options/policies/0/fields/0'],
    [{ actions: ['view'], rowFilter: { nots: 1 } }, '/options/policies/0/rowFilter'],
    [{ actions: ['view'], rowFilter: { cost: '$user' } }, '/options/policies/0/rowFilter'],
    [
      { actions: ['view'], rowFilter: { team: { ne: '$groups' } } },
      '/options/policies/0/rowFilter',
    ],
    [{ actions: ['view'], rowFilter: { team: ['$groups'] } }, '/options/policies/0/rowFilter'],
    [
      { actions: ['view'], rowFilter: { and: { owner: 'an' }, team: '$groups' } },
      '/options/policies/0/rowFilter',
    ],
    [{ actions: ['add'], presets: { owner: '$groups' } }, '/options/policies/0/presets'],
    [{ actions: ['view'], presets: { owner: 'x' } }, '/options/policies/0/presets'],
    [{ actions: ['add'], presets: { nots: 'x' } }, '/options/policies/0/presets/nots'],
    [
      { actions: ['view'], unless: { users: ['x'] }, fields: [] },
      '/options/policies/0/unless/users',
    ],
  ])('%j is refused at %s', async (policy, pointer) => {
    const api = await tickets([]);
    const changed = await api.put(DEFINITION, { options: { policies: [policy] } });
    const definition = {
      code: 'other',
      name: 'Other',
      uiSchemaJson: { type: 'object', properties },
    };
    const made = await api.define({ ...definition, options: { policies: [policy] } });
    for (const { status, body } of [changed, made]) {
      expect(status).toBe(400);
      expect((body.errors as { pointer: string }[]).map((error) => error.pointer)).toContain(
        pointer,
      );
    }
  });

  it('are refused when they are too large', async () => {
    const api = await tickets([]);
    for (const bytes of [70_000, 500_000]) {
      const policies = [{ actions: ['add'], presets: { owner: 'x'.repeat(bytes) } }];
      const changed = await api.put(DEFINITION, { options: { policies } });
      expect(changed.body).toMatchObject({
        status: 400,
        errors: [{ pointer: '/options/policies', code: 'TOO_BIG' }],
      });
    }
  });

  it('follow a field that is renamed, from the first moment on', async () => {
    const api = await tickets([
      {
        actions: ['view'],
        rowFilter: { or: [{ owner: '$user' }, { not: { owner: { ne: 'x' } } }] },
      },
      { actions: ['view'], fields: ['title', 'owner'] },
      { actions: ['add'], presets: { owner: '$user' } },
    ]);
    const { owner: _owner, ...others } = properties;
    const keeper = { ...text, 'x-renamed-from': 'owner' };
    const uiSchemaJson = { type: 'object', properties: { ...others, keeper } };
    const changed = await api.put(`${DEFINITION}/schema`, { uiSchemaJson });
    expect(changed.status, changed.text).toBe(200);
    expect(await seen(api, an)).toBe('ac');
    await api.runJobs();
    expect(await seen(api, an)).toBe('ac');
    const made = await api.post(TICKETS, { title: 'd', keeper: 'binh' }, an);
    expect(made.body).toMatchObject({ title: 'd', keeper: 'an' });
    expect((await api.get(DEFINITION)).body).toMatchObject({
      options: {
        policies: [
          { rowFilter: { or: [{ keeper: '$user' }, { not: { keeper: { ne: 'x' } } }] } },
          { fields: ['title', 'keeper'] },
          { presets: { keeper: '$user' } },
        ],
      },
    });
  });

  it('keep the fields that they name in the schema', async () => {
    const api = await tickets(OWN);
    const { owner: _owner, ...others } = properties;
    const uiSchemaJson = { type: 'object', properties: others };
    const answer = await api.put(`${DEFINITION}/schema`, { uiSchemaJson });
    expect(answer.body).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      errors: [{ pointer: '/options/policies/0/rowFilter' }],
    });
  });
});
