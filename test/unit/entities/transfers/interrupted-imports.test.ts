import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import { contentOf, RECORDS } from '../entities-api.ts';
import { withEntities } from './two-entities.ts';

/** Files are `SEEDS` in number (6), from `FROM` (1) on, with so many `ROWS` (40); each is imported in three ways and interrupted in several. */
const [first, count] = [Number(process.env.FROM ?? 1), Number(process.env.SEEDS ?? 6)];
const ROWS = Number(process.env.ROWS ?? 40);
const seeds = Array.from({ length: count }, (_each, at) => first + at);

const PARTS = `${RECORDS}/part`;
const WAYS = ['', '?mode=upsert&key=id', '?mode=upsert&key=code'];
const FIELDS = ['id', 'name', 'code', 'a', 'b', 'near', 'parts', 'parentId'];
const OPERATIONS = ['GetItem', 'PutItem', 'Query', 'BatchGetItem', 'BatchWriteItem'];
const REQUESTS = [...OPERATIONS, 'TransactWriteItems'];
const STORED = 6;

type Row = Record<string, unknown>;
const idOf = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const range = (length: number) => Array.from({ length }, (_each, at) => at);

async function aStock(seed: number) {
  const api = await withEntities();
  const text = { type: 'string' };
  const reference = { ...text, 'x-reference': { entity: 'part' } };
  const properties = {
    ...{ name: { ...text, maxLength: 9 }, code: { ...text, 'x-unique': true }, a: text, b: text },
    ...{ near: reference, parts: { type: 'array', items: reference } },
    ...(seed % 4 === 0 && { number: { ...text, 'x-number': 'P{0000}' } }),
  };
  const uiSchemaJson = { type: 'object', 'x-unique': [['a', 'b']], properties };
  const more = { hierarchical: seed % 3 === 0, options: { history: seed % 5 === 0 } };
  const defined = await api.define({ code: 'part', name: 'Part', ...more, uiSchemaJson });
  expect(defined.status, defined.text).toBe(201);
  for (const at of range(STORED)) {
    const body = { id: idOf(at), name: 'stored', code: `c${at}`, a: `a${at}`, b: 'b' };
    expect((await api.post(PARTS, body)).status).toBe(201);
  }
  api.context.clock.advance(300_000);
  return api;
}

/** Rows that pass unique values on, and refer to rows before and behind them, some of them in circles. */
function randomRows(seed: number, way: string): Row[] {
  const random = seededRandom(seed);
  const nat = (below: number) => Math.floor(random() * below);
  const anyId = () => idOf(random() < 0.05 ? 999 : nat(STORED + ROWS));
  const isKeyedByCode = way.endsWith('code');
  return range(ROWS).map((at) => ({
    name: random() < 0.05 ? 'far too long' : `row ${at}`,
    ...(random() < 0.8 && { id: random() < 0.3 ? idOf(nat(STORED)) : idOf(STORED + at) }),
    ...(isKeyedByCode && { code: random() < 0.5 ? `c${nat(STORED + 4)}` : `d${at}` }),
    ...(!isKeyedByCode && random() < 0.4 && { code: `c${nat(STORED + 4)}` }),
    ...(random() < 0.4 && { a: `a${nat(STORED + 2)}`, b: 'b' }),
    ...(random() < 0.3 && { near: anyId() }),
    ...(random() < 0.15 && { parts: [anyId(), anyId()] }),
    ...(seed % 3 === 0 && random() < 0.3 && { parentId: anyId() }),
  }));
}

interface Run {
  readonly api: Awaited<ReturnType<typeof aStock>>;
  readonly random: () => number;
  /** Requests of an undisturbed run. */
  readonly requests: number;
}

class Killed extends Error {
  readonly code = 'ECONNREFUSED';
}

/** What may go wrong: called before each request with its number. */
const FAULTS: Record<string, (run: Run) => (at: number) => void> = {
  'the table is gone for a while': ({ random, requests }) => {
    const from = range(3).map(() => Math.floor(random() * requests));
    const length = 1 + Math.floor(random() * 30);
    return (at) => {
      if (from.some((begin) => at >= begin && at < begin + length)) throw new Killed();
    };
  },
  'answers are lost': ({ api, random, requests }) => {
    const lost = range(4).map(() => Math.floor(random() * requests));
    return (at) => {
      if (lost.includes(at)) api.context.db.failNext('answer-lost');
    };
  },
  'requests are slow': ({ api, random }) => {
    const ms = 200 + Math.floor(random() * 2_000);
    return () => api.context.clock.advance(ms);
  },
};

/** Imports a file by a job, however often that is interrupted. */
async function imported(seed: number, way: string, fault?: string, requests = 0) {
  const api = await aStock(seed);
  const { context, storage } = api;
  const { db, clock } = context;
  const bytes = Buffer.from(JSON.stringify(randomRows(seed, way)));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const announced = { format: 'json', sizeBytes: bytes.length, sha256 };
  const { body, headers } = await api.post(`${PARTS}/import/uploads`, announced);
  storage.files.set(`entities/imports/${body.id}.json`, bytes);
  const started = await api.post(`${headers.location}:import${way}`);
  expect(started.status, started.text).toBe(202);
  const random = seededRandom(seed + 1_000);
  const disturb = fault && FAULTS[fault]?.({ api, random, requests });
  let at = 0;
  const ends = REQUESTS.map((operation) =>
    db.before(operation, () => {
      at += 1;
      if (disturb) disturb(at);
    }),
  );
  await api.runJobs().catch(() => undefined);
  for (const end of ends) end();
  const location = String(started.headers.location);
  let job = await api.get(location);
  for (let turn = 0; turn < 15 && job.body.state !== 'DONE'; turn += 1) {
    clock.advance(600_000);
    await api.runTask(SWEEP_TASK);
    await api.runJobs();
    job = await api.get(location);
  }
  db.stopFailing();
  clock.advance(600_000);
  await api.runTask(SWEEP_TASK);
  const { state, processed, result = {} } = job.body as Row & { result?: Row };
  const { errors = [], ...counts } = result as { errors?: Row[] };
  const records = contentOf(await api.get(`${PARTS}?size=200&sort=name,id`));
  const total = (await api.get(`${PARTS}/count`)).body.count;
  const journal = db.items().filter(({ pk }) => String(pk) === 'DYN_ROW_JOURNAL');
  const named = new Set(randomRows(seed, way).map(({ id }) => id));
  return {
    requests: at,
    outcome: {
      ...{ state, processed, counts, total, journal },
      errors: errors.map(({ row, code, field }) => `${row} ${code} ${field ?? ''}`).sort(),
      records: records.map((record) =>
        FIELDS.map((field) =>
          field === 'id' && !named.has(record.id) ? '' : (record[field] ?? null),
        ).join(),
      ),
    },
  };
}

it.each(seeds)('an import that is interrupted ends as one that is not: file %i', async (seed) => {
  for (const way of WAYS) {
    const { outcome, requests } = await imported(seed, way);
    const { created, updated, failed } = outcome.counts as Record<string, number>;
    expect(outcome).toMatchObject({ state: 'DONE', processed: ROWS, journal: [] });
    expect(Number(created) + Number(updated) + Number(failed)).toBe(ROWS);
    expect(outcome.total).toBe(STORED + Number(created));
    for (const fault of Object.keys(FAULTS)) {
      const disturbed = await imported(seed, way, fault, requests);
      expect(disturbed.outcome, `${way} ${fault}`).toEqual(outcome);
    }
  }
});
