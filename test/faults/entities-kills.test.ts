import { beforeAll, describe, expect, it } from 'vitest';
import { bucketFiles } from '../../shared/files/create-files.ts';
import { systemPrincipal } from '../../shared/security/principal.ts';
import {
  recordId,
  recordValues,
  WIDE_FIELDS,
  WIDE_STATES,
  wideValues,
} from './harness/entities-roles.ts';
import {
  entitiesModule,
  holdAgainstRecords,
  sweepUp,
  wakeJob,
} from './harness/entities-verdict.ts';
import { queueArn } from './harness/fault-cloud.ts';
import { report, size, until, useFaultCloud } from './harness/run.ts';

const RECORDS = size({ long: 1_000, short: 60 });
const IMPORTED = size({ long: 1_000, short: 40 });
/** Records whose texts fill several parts of a file. */
const EXPORTED = size({ long: 200, short: 40 });
const WIDE = size({ long: 20, short: 2 });
const BUILT = size({ long: 2_000, short: 60 });
const BUILD_KILLS = size({ long: 12, short: 2 });
/** Kills of one process: each leaves rows that are swept up one by one. */
const MAX_KILLS = size({ long: 40, short: 3 });
const JOBS = 'svc-cloud-dynamic';
const ROW_POINTS = [
  'entities.after-journal',
  'entities.after-rows',
  'before-commit',
  'after-commit',
  'entities.before-tidy',
];
const JOB_POINTS = [...ROW_POINTS, 'entities.after-step'];
const EXPORT_POINTS = ['entities.after-part', 'entities.after-finish', 'entities.after-step'];
const FIELDS = ['name', 'email', 'status', 'amount'];

const properties = {
  name: { type: 'string' },
  email: { type: 'string', format: 'email', 'x-unique': true },
  status: { type: 'string', enum: ['open', 'wip', 'closed'] },
  amount: { type: 'number' },
  city: { type: 'string', 'x-searchable': false },
};
const wideProperties = Object.fromEntries(
  Object.keys(wideValues('a')).map((code) => [code, { type: 'string' }]),
);

const faults = useFaultCloud();

const define = (code: string, fields: object) =>
  entitiesModule(faults.cloud).services.definitionService.create(
    { code, name: code, uiSchemaJson: { type: 'object', properties: fields } },
    systemPrincipal,
  );

const jobWorkers = (killChance: number, killPoints = JOB_POINTS) =>
  [1, 2].map(() =>
    faults.start({
      role: 'entities-jobs',
      killChance,
      killPoints,
      maxKills: MAX_KILLS,
      work: { arn: queueArn(JOBS) },
    }),
  );

const killsOf = (workers: readonly { readonly kills: number }[]): number =>
  workers.reduce((sum, { kills }) => sum + kills, 0);

/** Waits for something while the workers of a job are killed; the job is woken each time. */
async function untilWoken(
  what: string,
  job: { readonly entity: string; readonly id: string },
  workers: readonly { readonly kills: number }[],
  isSo: () => Promise<boolean>,
): Promise<void> {
  let kills = 0;
  await until(
    what,
    async () => {
      if (killsOf(workers) > kills) {
        kills = killsOf(workers);
        await wakeJob(faults.cloud, job);
      }
      return isSo();
    },
    { timeoutMs: 600_000, describe: () => stateOf(job) },
  );
}

const stateOf = ({ entity, id }: { readonly entity: string; readonly id: string }) =>
  entitiesModule(faults.cloud).services.jobService.get(entity, id);

const isDone = async (job: Parameters<typeof stateOf>[0]) => (await stateOf(job)).state === 'DONE';

describe('processes of dynamic entities that are killed', () => {
  beforeAll(async () => {
    await faults.cloud.addGroup(JOBS, {
      topics: ['dynamic-entity-job'],
      visibilitySeconds: size({ long: 120, short: 15 }),
    });
  });

  it.concurrent('load every record of bulk calls once, and leave nothing half', {
    timeout: 900_000,
  }, async () => {
    await define('load', properties);
    const half = RECORDS / 2;
    const loaders = [0, 1].map((number) =>
      faults.start({
        role: 'entities-loader',
        killChance: size({ long: 0.05, short: 0.4 }),
        killPoints: ROW_POINTS,
        maxKills: MAX_KILLS,
        work: { entity: 'load', from: number * half, to: (number + 1) * half },
      }),
    );
    await Promise.all(loaders.map(({ done }) => done));

    await sweepUp(faults.cloud);
    const records = await holdAgainstRecords(faults.cloud, 'load', FIELDS);

    report('bulk load kills', { records: RECORDS, kills: killsOf(loaders) });
    expect(killsOf(loaders)).toBeGreaterThan(0);
    expect(records).toEqual(
      new Map(Array.from({ length: RECORDS }, (_, at) => [recordId(at), recordValues(at)])),
    );
  });

  it.concurrent('leave wide records in one of their states, found by that one only', {
    timeout: 900_000,
  }, async () => {
    await define('wide', wideProperties);
    const half = Math.ceil(WIDE / 2);
    const callers = [
      { from: 0, to: half },
      { from: half, to: WIDE },
    ].map((range) =>
      faults.start({
        role: 'entities-wide',
        killChance: size({ long: 0.08, short: 0.2 }),
        killPoints: ROW_POINTS,
        maxKills: MAX_KILLS,
        work: { entity: 'wide', ...range },
      }),
    );
    await Promise.all(callers.map(({ done }) => done));

    await sweepUp(faults.cloud);
    const some = ['f0', 'f1', `f${WIDE_FIELDS - 1}`];
    const records = await holdAgainstRecords(faults.cloud, 'wide', some);

    report('wide record kills', { records: WIDE, kills: killsOf(callers) });
    expect(killsOf(callers)).toBeGreaterThan(0);
    const last = wideValues(WIDE_STATES.at(-1) ?? '');
    expect([...records.values()]).toEqual(Array.from({ length: WIDE }, () => last));
  });

  it.concurrent('build an index while writers run, then import a file once and export one whole', {
    timeout: 1_800_000,
  }, async () => {
    await buildIndex();
    await importFile();
    await exportFiles();
  });
});

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: recordId(at), ...recordValues(at) }));

async function buildIndex(): Promise<void> {
  await define('built', properties);
  const { services } = entitiesModule(faults.cloud);
  await services.bulkService.createMany(
    await services.catalog.load('built'),
    numbered(BUILT).map((body, index) => ({ index, body })),
    systemPrincipal,
  );
  const writers = [1, 2].map(() =>
    faults.start({
      role: 'entities-writer',
      work: { entity: 'built', from: 0, to: BUILT, pauseMs: size({ long: 0, short: 20 }) },
    }),
  );
  // Writers bring most records to the new definition themselves: the job has few points left where it may be killed.
  const builders = jobWorkers(size({ long: 0.1, short: 0.4 }));
  const schema = { type: 'object', properties: { ...properties, city: { type: 'string' } } };
  const changed = await services.schemaService.update(
    'built',
    schema,
    { dryRun: false, force: false },
    systemPrincipal,
  );
  const job = { entity: 'built', id: changed.job?.id ?? '' };
  await untilWoken(
    'the builders are killed',
    job,
    builders,
    async () => killsOf(builders) >= BUILD_KILLS || (await isDone(job)),
  );
  await Promise.all(builders.map((worker) => worker.calmDown()));
  await untilWoken('the index is built', job, builders, () => isDone(job));
  const kills = killsOf(builders);
  await Promise.all([...writers, ...builders].map((worker) => worker.stop()));

  await sweepUp(faults.cloud);
  const records = await holdAgainstRecords(faults.cloud, 'built', [...FIELDS, 'city']);

  report('index build kills', { records: BUILT, kills, live: records.size });
  expect(kills).toBeGreaterThanOrEqual(BUILD_KILLS);
}

async function importFile(): Promise<void> {
  await define('file', properties);
  const { services } = entitiesModule(faults.cloud);
  const rows = numbered(IMPORTED);
  const object = 'entities/imports/file.json';
  const bytes = Buffer.from(JSON.stringify(rows));
  await bucketFiles(faults.cloud.environment.BUCKET_NAME ?? '').write(object, bytes, '');
  const request = { format: 'json', mode: 'insert', key: 'id', dryRun: false, object };
  const importers = jobWorkers(size({ long: 0.03, short: 0.4 }));
  const input = { ...request, principal: systemPrincipal };
  const { id } = await services.jobService.start('IMPORT', 'file', input, systemPrincipal);
  const job = { entity: 'file', id };
  await untilWoken('the file is imported', job, importers, () => isDone(job));
  const kills = killsOf(importers);
  await Promise.all(importers.map((worker) => worker.stop()));

  const { result } = await stateOf(job);
  expect(result).toMatchObject({ failed: 0, errors: [] });
  await sweepUp(faults.cloud);
  const records = await holdAgainstRecords(faults.cloud, 'file', FIELDS);

  report('import kills', { records: IMPORTED, kills });
  expect(kills).toBeGreaterThan(0);
  expect(records).toEqual(new Map(rows.map(({ id: record, ...values }) => [record, values])));
}

/** Exports of a file by what is asked for; a short run takes the last. */
const EXPORTS: readonly Readonly<Record<string, string>>[] = [
  {},
  { sort: '-name', expand: 'owner' },
];

async function exportFiles(): Promise<void> {
  const notes = 'n'.repeat(200_000);
  const owner = { id: recordId(9_000), name: 'An' };
  await define('owner', { name: { type: 'string' } });
  await define('out', {
    name: { type: 'string' },
    notes: { type: 'string', format: 'textarea' },
    owner: { type: 'string', 'x-reference': { entity: 'owner', onDelete: 'none' } },
  });
  const rows = Array.from({ length: EXPORTED }, (_, at) => ({
    id: recordId(at),
    name: `n${String(at).padStart(3, '0')}`,
    notes,
    owner: owner.id,
  }));
  await fill('owner', [owner]);
  await fill('out', rows);
  for (const asked of EXPORTS.slice(-size({ long: 2, short: 1 }))) {
    const lines = await exported(asked);
    const expected = asked.sort ? rows.toReversed() : rows;
    const seen = lines.map(({ owner: shown, ...line }) => ({ ...line, owner: idOf(shown) }));
    expect(seen).toEqual(expected);
    expect(lines[0]?.owner).toEqual(asked.expand ? expect.objectContaining(owner) : owner.id);
  }
}

const idOf = (shown: unknown): unknown => (shown as { id?: string }).id ?? shown;

async function fill(entity: string, rows: readonly Readonly<Record<string, unknown>>[]) {
  const { catalog, bulkService } = entitiesModule(faults.cloud).services;
  const model = await catalog.load(entity);
  for (let at = 0; at < rows.length; at += 10) {
    const bodies = rows.slice(at, at + 10).map((body, index) => ({ index, body }));
    await bulkService.createMany(model, bodies, systemPrincipal);
  }
}

/** The records of a file that processes write which are killed. */
async function exported(asked: Readonly<Record<string, string>>) {
  const { catalog, exportService } = entitiesModule(faults.cloud).services;
  const model = await catalog.load('out');
  const exporters = jobWorkers(size({ long: 0.2, short: 0.7 }), EXPORT_POINTS);
  const outcome = await exportService.export(model, 'ndjson', asked, systemPrincipal);
  const job = { entity: 'out', id: outcome.kind === 'job' ? outcome.job.id : '' };
  await untilWoken('the file is exported', job, exporters, () => isDone(job));
  const kills = killsOf(exporters);
  await Promise.all(exporters.map((worker) => worker.stop()));

  const { result, processed } = await stateOf(job);
  const bucket = bucketFiles(faults.cloud.environment.BUCKET_NAME ?? '');
  const file = await bucket.read(String(result.object), EXPORTED * 400_000);
  report('export kills', { records: EXPORTED, kills, bytes: file?.sizeBytes });
  expect(kills).toBeGreaterThan(0);
  expect(processed).toBe(EXPORTED);
  const lines = Buffer.from(file?.body ?? [])
    .toString()
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
