import { describe, expect, it } from 'vitest';
import {
  NO_COUNTS,
  type SyncHistory,
  type SyncRecord,
} from '../../../../functions/identity/domain/runs/history.ts';
import { HistoryRepository } from '../../../../functions/identity/store/history-repository.ts';
import {
  anIdentityApi,
  type IdentityApi,
  ofTenant,
  SOURCES,
} from '../../../helpers/identity/identity-api.ts';
import { memorySync } from '../../../helpers/identity/memory-sync.ts';

const at = '2026-07-01T08:00:00.000Z';

const aRun = (
  id: string,
  identitySourceId: string,
  more: Partial<SyncHistory> = {},
): SyncHistory => ({
  ...{ id, batch: 'b1', identitySourceId, tenant: '', objectType: 'USER', triggerType: 'JOB' },
  ...{ syncMode: 'FULL', counts: NO_COUNTS, startTime: at, status: 'SUCCESS', version: 1 },
  ...more,
});

const aRecord = (id: string, more: Partial<SyncRecord> = {}): SyncRecord => ({
  ...{ id, syncHistoryId: 'h1', actionType: 'INSERT', objectType: 'USER', externalId: id },
  ...{ objectName: id, status: 'SUCCESS', changes: [], time: at, ...more },
});

async function withRuns(
  api: IdentityApi,
  runs: readonly SyncHistory[],
): Promise<HistoryRepository> {
  const history = new HistoryRepository(api.context);
  for (const run of runs) {
    await api.context.unitOfWork(async (unit) => history.stageNew(unit, run));
  }
  return history;
}

const idsOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  (body.content as readonly { readonly id: string }[]).map(({ id }) => id);

describe('GET /api/v1/identity_source/sync/history_list', () => {
  it('lists the runs of a source, the newest first, by what they were', async () => {
    const api = anIdentityApi();
    const source = await api.aSource();
    await withRuns(api, [
      aRun('h1', source, { objectType: 'ORGANIZATION', endTime: '2026-07-01T08:00:01.500Z' }),
      aRun('h2', source, { status: 'FAIL' }),
      aRun('h3', 'another source'),
    ]);
    const list = (more = '') =>
      api.get(`${SOURCES}/sync/history_list?identitySourceId=${source}${more}`);

    expect(idsOf(await list())).toEqual(['h2', 'h1']);
    expect((await list('&objectType=organization')).body.content).toMatchObject([
      { id: 'h1', spendTime: 1_500, createdCount: 0 },
    ]);
    expect(idsOf(await list('&status=FAIL&triggerType=JOB'))).toEqual(['h2']);
    const first = await list('&size=1');
    expect(idsOf(await list(`&size=1&cursor=${first.body.nextCursor}`))).toEqual(['h1']);
    expect((await api.get(`${SOURCES}/sync/history_list`)).body).toMatchObject({
      ...{ code: 'INVALID_PARAMETER', errors: [{ parameter: 'identitySourceId' }] },
    });
  });
});

describe('a run that has died', () => {
  it('is shown as what it is to whoever looks', async () => {
    const closed: string[] = [];
    const sync = memorySync({
      closeDead: async (_source, batch) => {
        closed.push(batch);
        return true;
      },
    });
    const api = anIdentityApi({ sync });
    const source = await api.aSource();
    await withRuns(api, [
      ...(['ORGANIZATION', 'USER'] as const).map((objectType) =>
        aRun(`h-${objectType}`, source, { objectType, status: 'PENDING' }),
      ),
      aRun('h9', source, { batch: 'b0' }),
    ]);

    await api.get(`${SOURCES}/sync/history_list?identitySourceId=${source}`);

    expect(closed).toEqual(['b1']);
  });
});

describe('GET /api/v1/identity_source/sync/record_list', () => {
  it('lists what a run did, and a repeated record once', async () => {
    const api = anIdentityApi();
    const source = await api.aSource();
    const history = await withRuns(api, [aRun('h1', source)]);
    await history.putRecords([aRecord('r1'), aRecord('r2', { status: 'FAIL' })]);
    await history.putRecords([aRecord('r1')]);
    const list = (more = '') => api.get(`${SOURCES}/sync/record_list?syncHistoryId=h1${more}`);

    expect(idsOf(await list())).toEqual(['r1', 'r2']);
    expect(idsOf(await list('&status=FAIL&actionType=INSERT'))).toEqual(['r2']);
    expect((await api.get(`${SOURCES}/sync/record_list?syncHistoryId=h9`)).body.code).toBe(
      'SYNC_RUN_NOT_FOUND',
    );
    const all: string[] = [];
    for await (const { id } of history.records('h1')) all.push(id);
    expect(all).toEqual(['r1', 'r2']);
    expect((await history.ofBatch('b1')).map(({ id }) => id)).toEqual(['h1']);
  });
});

describe('GET /api/v1/identity_source/sync/run/{batch}/csv', () => {
  const BATCH = '0199d1f0-7a4c-7c57-a7de-0b9c1f2e6a10';
  const CSV = `${SOURCES}/sync/run/${BATCH}/csv`;
  async function withRecords(records: readonly SyncRecord[]) {
    const api = anIdentityApi();
    const source = await api.aSource();
    const history = await withRuns(api, [
      aRun('h1', source, { batch: BATCH }),
      aRun('h2', source, { batch: BATCH, objectType: 'ORGANIZATION' }),
    ]);
    await history.putRecords(records);
    return api;
  }

  it('has a line for each object, departments first, and no formula', async () => {
    const change = { field: 'email', from: null, to: '=cmd|x' };
    const api = await withRecords([
      aRecord('u1', { objectName: '=HYPERLINK("http://evil")', changes: [change] }),
      aRecord('u2', { objectName: "'+1", status: 'FAIL', reasonCode: '@SUM(A1)' }),
      aRecord('g1', { syncHistoryId: 'h2', objectType: 'ORGANIZATION', objectName: 'Bán, "A"' }),
    ]);

    const { status, headers, text } = await api.get(CSV);
    const failed = await api.get(`${CSV}?status=fail`);

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename=synchronisation-${BATCH}.csv`,
    });
    const [head, department, first, second] = text.split('\r\n');
    expect(head).toContain('objectType,actionType,status,reasonCode,objectName,externalId');
    expect(department).toContain('"ORGANIZATION","INSERT","SUCCESS",,"Bán, ""A""","g1"');
    expect(first).toContain(`"'=HYPERLINK(""http://evil"")"`);
    expect(first).toContain('"[{""field"":""email"",""from"":null,""to"":""=cmd|x""}]"');
    expect(second).toContain(`"'@SUM(A1)","''+1"`);
    expect(failed.text.trimEnd().split('\r\n')).toHaveLength(2);
  });

  it('is behind a link when it is large, and for nobody of another tenant', async () => {
    const desc = 'x'.repeat(160_000);
    const records = Array.from({ length: 10 }, (_, at) => aRecord(`u${at}`, { desc }));
    const api = await withRecords(records);

    const { status, headers } = await api.get(CSV);
    const other = await api.get(CSV, { caller: ofTenant('other') });

    expect(status).toBe(303);
    expect(headers.location).toBe(`https://bucket.example/synchronisation-${BATCH}.csv`);
    expect(other.body.code).toBe('SYNC_RUN_NOT_FOUND');
  });
});
