import { expect, it } from 'vitest';
import { aRandomStock, importRandomly, PARTS, randomRows, WAYS } from './random-rows.ts';

const ROWS = 520;

it.each([1, 2])(
  'a dry run of the job of file %i says what the import does, over all of its steps',
  async (seed) => {
    for (const way of WAYS) {
      const api = await aRandomStock(seed);
      const rows = randomRows(seed, ROWS, api.files, 0.1);

      const foretold = await importRandomly(api, rows, `${way}&dryRun=true`);
      const left = [...api.storage.files.keys()].filter((path) => !path.includes('/attachments/'));
      const done = await importRandomly(api, rows, way);

      expect(foretold, way).toEqual(done);
      expect(left).toEqual([]);
    }
  },
  60_000,
);

it('says the same when its steps are interrupted', async () => {
  const api = await aRandomStock(5);
  const rows = randomRows(5, ROWS, api.files, 0.1);
  const [way] = WAYS.slice(1);
  for (const after of [3, 40, 90]) {
    api.context.db.failNext('network', { operation: 'BatchGetItem', after });
  }

  const foretold = await importRandomly(api, rows, `${way}&dryRun=true`, 6);

  api.context.db.stopFailing();
  expect(foretold).toEqual(await importRandomly(api, rows, String(way)));
});

it.each(['', '&dryRun=true'])('counts a record for the row that makes it: %j', async (how) => {
  const api = await aRandomStock(1);
  const [one, other] = ['1', '2'].map((end) => `01900000-0000-7000-8000-00000000900${end}`);
  const rows: Record<string, unknown>[] = Array.from({ length: ROWS }, () => ({ name: 'n' }));
  rows[0] = { id: one, near: other };
  rows[100] = { id: one };
  rows[200] = { id: other };

  expect(await importRandomly(api, rows, how)).toEqual({
    ...{ created: ROWS - 1, updated: 0, failed: 1, errors: ['1 RECORD_EXISTS '] },
  });
});

it('keeps values of encrypted fields as cipher texts between its steps', async () => {
  const api = await aRandomStock(1);
  const noted: string[] = [];
  const { files } = api.storage;
  const set = files.set.bind(files);
  files.set = (path, body) => {
    if (path.startsWith('entities/rehearsals/')) noted.push(Buffer.from(body).toString());
    return set(path, body);
  };
  const again = { code: 'c1', name: 'again' };
  const others = Array.from({ length: 2 * ROWS }, (_each, at) => ({ code: `e${at}`, name: 'n' }));

  const job = await importRandomly(
    api,
    [again, ...others, again],
    '&mode=upsert&key=code&dryRun=true',
  );

  expect(job).toEqual({ created: 2 * ROWS, updated: 2, failed: 0, errors: [] });
  expect(noted.length).toBeGreaterThan(1);
  expect(noted.join()).toContain('"again"');
  expect(noted.join()).not.toContain('of a record');
});

it.each([
  ['of the first record, which are noted', 0, {}],
  ['of the last record, for which the notes had no room', 29, { exact: false }],
])(
  'says whether it had to forget values that come back: those %s',
  async (_which, at, more) => {
    const api = await aRandomStock(1);
    for (let row = 0; row < 30; row += 1) {
      const body = { code: `l${row}`, name: 'n', text: 'x'.repeat(300_000) };
      expect((await api.post(PARTS, body)).status).toBe(201);
    }
    const long = Array.from({ length: 30 }, (_each, row) => ({ code: `l${row}`, name: 'x' }));
    const short = Array.from({ length: ROWS }, (_each, row) => ({ code: `e${row}`, name: 'n' }));
    const rows = [...long, ...short, { code: `l${at}`, name: 'again' }];

    const job = await importRandomly(api, rows, '&mode=upsert&key=code&dryRun=true');

    expect(job).toEqual({ created: ROWS, updated: 31, failed: 0, errors: [], ...more });
  },
  60_000,
);
