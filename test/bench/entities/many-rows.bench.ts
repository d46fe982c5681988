import { createReadStream, createWriteStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createEntitiesModule } from '../../../functions/entities/index.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import { systemPrincipal } from '../../../shared/security/principal.ts';
import { anEntitiesApi, type EntitiesApi, RECORDS } from '../../unit/entities/entities-api.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { onDisk } from './on-disk.ts';

/** Rows of the file; `BENCH_ROWS=1000000` needs a heap of 4 GB and about half an hour, most of which the table in memory takes to keep its rows in order. */
const ROWS = Number(process.env.BENCH_ROWS ?? '10000');
/** Requests to the table until one has no answer. */
const BETWEEN_FAULTS = 5_000;
const PARTS = 97;

/**
 * An import of many small rows, and exports of all of them in their order, sorted and of a part, while the table fails now and
 * then. What is stored and exported is held against the file.
 */
export default {
  name: 'Imports and exports of many records',
  async run(say) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-cloud-rows-'));
    try {
      const world = await aThing(folder);
      const figures = [...(await imported(world, say))];
      for (const [query, expected] of EXPORTS) {
        figures.push(...(await exported(world, query, expected, say)));
      }
      return figures;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
} satisfies Benchmark;

/** Filters and orders of exports, with the rows that they have: the amounts in the order of the file, or in any order. */
const EXPORTS: readonly [query: string, expected: (amounts: number[]) => number[]][] = [
  ['', (all) => all],
  ['&sort=-amount', (all) => all.toReversed()],
  [`&part=p7`, (all) => all.filter((amount) => amount % PARTS === 7)],
];

interface World {
  readonly api: EntitiesApi;
  readonly folder: string;
}

async function aThing(folder: string): Promise<World> {
  const host = { permissionEvaluator: claimsPermissionEvaluator, storage: onDisk(folder) };
  const api = anEntitiesApi({ host });
  const properties = {
    name: { type: 'string', 'x-searchable': false },
    amount: { type: 'integer' },
    part: { type: 'string' },
  };
  const uiSchemaJson = { type: 'object', 'x-label': 'name', properties };
  await api.define({ code: 'thing', name: 'Thing', apiPath: 'things', uiSchemaJson });
  return { api, folder };
}

async function imported({ api, folder }: World, say: Say): Promise<Figure[]> {
  const lines = function* () {
    for (let at = 0; at < ROWS; at += 1)
      yield `${JSON.stringify({ name: `n${at}`, amount: at, part: `p${at % PARTS}` })}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(join(folder, 'rows')));
  const { jobService } = createEntitiesModule(api.context).services;
  const how = { mode: 'insert', key: 'id', format: 'ndjson', object: 'rows' };
  const { id } = await jobService.start('IMPORT', 'thing', how, systemPrincipal);
  return runToItsEnd(api, { what: 'import', id, rows: ROWS, say });
}

async function exported(
  { api, folder }: World,
  query: string,
  expected: (amounts: number[]) => number[],
  say: Say,
): Promise<Figure[]> {
  const before = new Set(readdirSync(folder));
  const started = await api.get(`${RECORDS}/thing/export?format=ndjson${query}`);
  const rows = expected(Array.from({ length: ROWS }, (_, at) => at));
  const what = `export${query}`;
  const figures =
    started.status === 202
      ? await runToItsEnd(api, {
          what,
          id: lastPart(started.headers.location),
          rows: rows.length,
          say,
        })
      : [];
  const file = readdirSync(folder).find((name) => !before.has(name));
  const found = file ? await amountsOf(join(folder, file)) : amountsIn(started.text.split('\n'));
  // Without an order it is that of the ids, which imports give in blocks side by side.
  const same = query.includes('sort') ? found : found.toSorted((one, other) => one - other);
  if (same.length !== rows.length || same.some((amount, at) => amount !== rows[at])) {
    throw new Error(
      `${what}: ${found.length} rows of ${rows.length}, or others (${started.status})`,
    );
  }
  return figures;
}

type Say = (text: string) => void;

interface Run {
  readonly what: string;
  readonly id: string;
  readonly rows: number;
  readonly say: Say;
}

async function runToItsEnd(api: EntitiesApi, { what, id, rows, say }: Run): Promise<Figure[]> {
  const { context } = api;
  const { jobService } = createEntitiesModule(context).services;
  const stepsBefore = context.log.named('job').length;
  const before = process.cpuUsage();
  const started = Date.now();
  let faults = 0;
  const progress = setInterval(async () => {
    const { processed } = await jobService.get('thing', id);
    say(`${what}: ${processed} of ${rows}`);
  }, 60_000);
  const cost = await context.db.meter.costOf(async () => {
    for (;;) {
      context.db.failNext('network', { after: BETWEEN_FAULTS });
      await api.runJobs();
      const { state, processed, result } = await jobService.get('thing', id);
      context.db.stopFailing();
      if (state === 'DONE' && processed === rows) break;
      if (state === 'DONE' || state === 'FAILED')
        throw new Error(`${what} ended as ${JSON.stringify({ state, processed, result })}`);
      faults += 1;
      context.clock.advance(600_000);
      await api.get(`${RECORDS}/thing/jobs/${id}`);
      await api.runTask('entities.sweep');
    }
  });
  clearInterval(progress);
  const { user, system } = process.cpuUsage(before);
  say(
    `${what}: ${rows} rows, ${faults} interruptions, ${Math.round((Date.now() - started) / 1_000)} s`,
  );
  return [
    { what: `${what}: steps`, value: context.log.named('job').length - stepsBefore, unit: 'steps' },
    { what: `${what}: CPU for a row`, value: (user + system) / 1_000 / rows, unit: 'ms' },
    { what: `${what}: requests for a row`, value: cost.requests.length / rows, unit: 'requests' },
    { what: `${what}: read units for a row`, value: cost.readUnits / rows, unit: 'units' },
    { what: `${what}: write units for a row`, value: cost.writeUnits / rows, unit: 'units' },
  ];
}

const lastPart = (location = ''): string => location.slice(location.lastIndexOf('/') + 1);

async function amountsOf(path: string): Promise<number[]> {
  const amounts: number[] = [];
  for await (const line of createInterface({ input: createReadStream(path) }))
    amounts.push(...amountsIn([line]));
  return amounts;
}

const amountsIn = (lines: readonly string[]): number[] =>
  lines.filter(Boolean).map((line) => JSON.parse(line).amount);
