import { setImmediate as immediately } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { heapInUse } from '../../../helpers/captured/heap-in-use.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import {
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  type EntitiesApi,
  RECORDS,
} from '../entities-api.ts';

const PAPERS = `${RECORDS}/papers`;
const COUNT = 24;
/** Letters of one byte take two in memory beside one that is not Latin. */
const TEXT = `ơ${'a'.repeat(1_000_000)}`;
/** Eight texts with what they are read from; all of them take twice as much. */
const MOST_HELD = 8 * 3 * TEXT.length;

const text = { type: 'string', format: 'textarea' };
const properties = {
  name: { type: 'string' },
  key: { type: 'string', 'x-unique': true },
  text,
  other: { type: 'string', 'x-reference': { entity: 'paper', onDelete: 'setNull' } },
};
const form = (more: object = {}) => ({ type: 'object', properties: { ...properties, ...more } });

/** Papers with large texts, all below the first of them and referring to it. */
async function papers() {
  const storage = memoryStorage();
  const measured = { reads: 0, atOnce: 0, held: 0, from: Number.POSITIVE_INFINITY };
  let open = 0;
  const host = {
    permissionEvaluator: claimsPermissionEvaluator,
    storage: {
      ...storage,
      get: async (path: string) => {
        measured.reads += 1;
        if (measured.reads % 3 === 0) {
          measured.held = Math.max(measured.held, heapInUse() - measured.from);
        }
        open += 1;
        measured.atOnce = Math.max(measured.atOnce, open);
        await immediately();
        open -= 1;
        return storage.get(path);
      },
    },
  };
  const api = anEntitiesApi({ host, svc: { web: { 'max-body': 6_000_000 } } });
  const definition = { code: 'paper', name: 'Paper', apiPath: 'papers', uiSchemaJson: form() };
  const defined = await api.define({ ...definition, hierarchical: true });
  expect(defined.status, defined.text).toBe(201);
  const top = String((await api.post(PAPERS, { name: 'top' })).body.id);
  const ids: string[] = [];
  for (let at = 0; at < COUNT; at += 1) {
    const values = { name: `n${at}`, key: `k${at}`, text: TEXT, other: top, parentId: top };
    const made = await api.post(PAPERS, values);
    expect(made.status, made.text.slice(0, 300)).toBe(201);
    ids.push(String(made.body.id));
  }
  /** What the work has answered, how many texts it has read, and how much was held at most meanwhile. */
  const measure = async (work: () => Promise<ApiAnswer>) => {
    Object.assign(measured, { reads: 0, atOnce: 0, held: 0, from: heapInUse() });
    const answer = await work();
    return { answer, ...measured };
  };
  return { api, top, ids, measure };
}

async function runAll(api: EntitiesApi): Promise<void> {
  for (let at = 0; at < 4; at += 1) await api.runJobs();
}

/** Starts a job and runs it to its end. @returns its last state */
async function ended(api: EntitiesApi, started: ApiAnswer): Promise<ApiAnswer> {
  expect(started.status, started.text.slice(0, 300)).toBe(202);
  await runAll(api);
  return api.get(`${PAPERS}/jobs/${String(started.body.id)}`);
}

describe('many records with large texts', () => {
  let given: Awaited<ReturnType<typeof papers>>;
  beforeAll(async () => {
    given = await papers();
  });
  const rows = (members: (id: string, at: number) => object) =>
    given.ids.map((id, at) => members(id, at));
  const post = (path: string, body: unknown) => () => given.api.post(`${PAPERS}${path}`, body);

  it('are not read for the history of one of them', async () => {
    const path = `${PAPERS}/${given.ids[0]}/history`;

    const { answer, reads } = await given.measure(() => given.api.get(path));

    expect([answer.status, reads]).toEqual([200, 0]);
  });

  it('are checked by a new schema a few at a time', async () => {
    const path = `${DEFINITIONS}/code/paper/schema?dryRun=true`;
    const next = form({ text: { ...text, maxLength: 10 } });

    const { answer, atOnce, held } = await given.measure(() => given.api.put(path, next));

    expect(answer.body.check).toEqual({ checked: COUNT + 1, invalid: COUNT });
    expect(atOnce).toBe(4);
    expect(held).toBeLessThan(MOST_HELD);
  });

  it('are not read by the dry run of an import that repeats their ids', async () => {
    const body = rows((id) => ({ id, name: 'again' }));

    const { answer, reads } = await given.measure(post('/import?format=json&dryRun=true', body));

    expect(answer.body).toMatchObject({ created: 0, failed: COUNT });
    expect(reads).toBe(0);
  });

  it.each(['&dryRun=true', ''])('are read once each by an upsert, one at a time%s', async (dry) => {
    const body = rows((_, at) => ({ key: `k${at}`, name: `m${at}${dry}` }));
    const path = `/import?format=json&mode=upsert&key=key${dry}`;

    const { answer, reads, held } = await given.measure(post(path, body));

    expect(answer.body).toMatchObject({ updated: COUNT, failed: 0 });
    expect(reads).toBe(COUNT);
    expect(held).toBeLessThan(MOST_HELD);
  });

  it('are changed together without being held together', async () => {
    const some = given.ids.slice(0, 12);
    const operations = some.map((id, at) => ({ op: 'update', id, data: { name: `o${at}` } }));

    const { answer, held } = await given.measure(post('/bulk', { atomic: true, operations }));

    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(held).toBeLessThan(MOST_HELD / 2);
  });

  it.each([
    ['bulk:update', { filter: {}, data: { name: 'z' } }, { updated: COUNT + 1 }],
    ['bulk:delete', { filter: { name: { ne: 'top' } } }, { deleted: COUNT }],
  ])('are not held together by the dry run of %s', async (name, request, result) => {
    const { answer, held } = await given.measure(async () => {
      const started = await given.api.post(`${PAPERS}/${name}`, { ...request, dryRun: true });
      return ended(given.api, started);
    });

    expect(answer.body.result).toMatchObject(result);
    // A rehearsal keeps some of them for the records behind them.
    expect(held).toBeLessThan(1.5 * MOST_HELD);
  });

  it('are deleted with the one above them a few at a time', async () => {
    const path = `${PAPERS}/${given.top}?cascade=true`;

    const { answer, atOnce, held } = await given.measure(() => given.api.remove(path));

    expect(answer.status, answer.text).toBe(204);
    expect(atOnce).toBe(4);
    expect(held).toBeLessThan(MOST_HELD);
  });
});

describe('references that are cleared', () => {
  it('are those of records whose large texts are read once each', async () => {
    const { api, top, ids, measure } = await papers();
    const operations = ids.map((id) => ({ op: 'update', id, data: { parentId: null } }));
    for (const operation of operations)
      await api.post(`${PAPERS}/bulk`, { operations: [operation] });

    const { reads, held } = await measure(async () => {
      const removed = await api.remove(`${PAPERS}/${top}`);
      await runAll(api);
      return removed;
    });

    const left = contentOf(await api.get(`${PAPERS}?fields=other&size=100`));
    expect(left).toHaveLength(COUNT);
    expect(left.every((each) => each.other === undefined)).toBe(true);
    expect(reads).toBe(COUNT);
    expect(held).toBeLessThan(MOST_HELD);
  });
});

describe('the history of a record that is purged', () => {
  it('is deleted part after part', async () => {
    const { context, define, post: send, remove } = anEntitiesApi();
    const uiSchemaJson = { type: 'object', properties: { name: { type: 'string' } } };
    await define({ ...{ code: 'paper', name: 'P', apiPath: 'papers' }, uiSchemaJson });
    const path = `${PAPERS}/${String((await send(PAPERS, { name: 'n' })).body.id)}`;
    const pk = `DYN_HISTORY#paper#${path.slice(PAPERS.length + 1)}`;
    const changes = JSON.stringify([{ field: 'name', after: 'x'.repeat(200_000) }]);
    const entries = Array.from({ length: 20 }, (_, at) => {
      return { pk, sk: String(at).padStart(9, '0'), type: 'DYN_HISTORY', at: '2026', changes };
    });
    context.db.load(entries);
    await remove(path);
    const done: string[] = [];
    context.db.before('Query', (input) => {
      if (JSON.stringify(input).includes(pk)) done.push('read');
    });
    context.db.before('BatchWriteItem', () => void done.push('delete'));

    const purged = await remove(`${path}?purge=true`);

    expect(purged.status).toBe(204);
    expect(done.filter((each) => each === 'read').length).toBeGreaterThan(3);
    expect(done.indexOf('delete')).toBe(1);
    expect(context.db.items().filter((item) => item.pk === pk)).toEqual([]);
  });
});
