import { beforeAll, describe, expect, it } from 'vitest';
import { createBucketStorage } from '../../functions/entities/adapters/bucket-storage.ts';
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
  liveRecords,
  sweepUp,
} from './harness/entities-verdict.ts';
import { queueArn } from './harness/fault-cloud.ts';
import { report, size, until, useFaultCloud } from './harness/run.ts';

const RECORDS = size({ long: 2_000, short: 100 });
const IMPORTED = size({ long: 4_000, short: 100 });
const WIDE = size({ long: 30, short: 2 });
const BUILD_KILLS = size({ long: 12, short: 1 });
const JOBS = 'svc-cloud-dynamic';
const ROW_POINTS = [
  'entities.after-journal',
  'entities.after-rows',
  'before-commit',
  'after-commit',
  'entities.before-tidy',
];
const JOB_POINTS = [...ROW_POINTS, 'entities.after-step'];
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

const jobWorkers = (killChance: number) =>
  [1, 2].map(() =>
    faults.start({
      role: 'entities-jobs',
      killChance,
      killPoints: JOB_POINTS,
      work: { arn: queueArn(JOBS) },
    }),
  );

const killsOf = (workers: readonly { readonly kills: number }[]): number =>
  workers.reduce((sum, { kills }) => sum + kills, 0);

/** Waits for the end of a job; the sweep takes it over whenever a worker was killed. */
async function jobIsDone(
  entity: string,
  id: string,
  workers: readonly { readonly kills: number }[],
): Promise<void> {
  const { jobService } = entitiesModule(faults.cloud).services;
  let kills = 0;
  const isDone = async () => {
    if (killsOf(workers) > kills) {
      kills = killsOf(workers);
      await sweepUp(faults.cloud);
    }
    return (await jobService.get(entity, id)).state === 'DONE';
  };
  await until('the job is done', isDone, {
    timeoutMs: 600_000,
    describe: () => jobService.get(entity, id),
  });
}

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
        killChance: size({ long: 0.05, short: 0.25 }),
        killPoints: ROW_POINTS,
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
        killChance: 0.08,
        killPoints: ROW_POINTS,
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

  it.concurrent('import a file once, and build an index while writers run', {
    timeout: 1_800_000,
  }, async () => {
    await define('file', properties);
    const { services } = entitiesModule(faults.cloud);
    const rows = Array.from({ length: IMPORTED }, (_, at) => ({
      id: recordId(at),
      ...recordValues(at),
    }));
    const object = 'entities/imports/file.json';
    const bytes = Buffer.from(JSON.stringify(rows));
    await createBucketStorage(faults.cloud.environment.BUCKET_NAME ?? '').put(object, bytes, '');
    const request = { format: 'json', mode: 'insert', key: 'id', dryRun: false, object };

    const importers = jobWorkers(size({ long: 0.03, short: 0.2 }));
    const input = { ...request, principal: systemPrincipal };
    const { id } = await services.jobService.start('IMPORT', 'file', input, systemPrincipal.id);
    await jobIsDone('file', id, importers);
    const importKills = killsOf(importers);
    await Promise.all(importers.map((worker) => worker.stop()));

    const { result } = await services.jobService.get('file', id);
    expect(result).toMatchObject({ failed: 0, errors: [] });
    await sweepUp(faults.cloud);
    const imported = liveRecords(await faults.cloud.items(), 'file');
    expect(imported).toEqual(new Map(rows.map(({ id: record, ...values }) => [record, values])));

    const writers = [1, 2].map(() =>
      faults.start({ role: 'entities-writer', work: { entity: 'file', from: 0, to: IMPORTED } }),
    );
    const builders = jobWorkers(size({ long: 0.02, short: 0.05 }));
    const schema = { type: 'object', properties: { ...properties, city: { type: 'string' } } };
    const changed = await services.schemaService.update(
      'file',
      schema,
      { dryRun: false, force: false },
      systemPrincipal,
    );
    await until('the builders were killed', async () => killsOf(builders) >= BUILD_KILLS, {
      timeoutMs: 300_000,
    });
    await Promise.all(builders.map((worker) => worker.calmDown()));
    await jobIsDone('file', changed.job?.id ?? '', builders);
    await Promise.all(writers.map((worker) => worker.stop()));

    await sweepUp(faults.cloud);
    const records = await holdAgainstRecords(faults.cloud, 'file', [...FIELDS, 'city']);
    report('import and index build kills', {
      records: IMPORTED,
      importKills,
      buildKills: killsOf(builders),
      live: records.size,
    });
    expect(importKills).toBeGreaterThan(0);
  });
});
