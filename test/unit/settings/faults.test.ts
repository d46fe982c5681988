import { describe, expect, it } from 'vitest';
import { aSettingsApi, contentOf, type SettingsApi } from './settings-api.ts';

const versionsOf = async ({ get }: SettingsApi) =>
  contentOf(await get('/mail.from/history?size=200')).map(({ version }) => version);

describe('twenty saves of one setting at once', () => {
  it('all exist once, without a gap, or are refused as a whole', async () => {
    const api = aSettingsApi();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => api.save({ value: `value ${i}` })),
    );

    const saved = answers.filter(({ status }) => status < 300);
    const expected = Array.from({ length: saved.length }, (_, i) => saved.length - i);
    expect(await versionsOf(api)).toEqual(expected);
    expect(saved.map(({ body }) => Number(body.version)).sort((a, b) => b - a)).toEqual(expected);
    expect(answers.filter(({ status }) => status >= 300 && status !== 409)).toEqual([]);
    expect(api.context.bus.events).toHaveLength(saved.length);
    expect((await api.get('/mail.from')).body).toMatchObject({ version: saved.length });
  });

  it('let one through when all name the same version', async () => {
    const api = aSettingsApi();
    await api.save();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => api.save({ value: `value ${i}`, version: 1 })),
    );

    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
    expect(await versionsOf(api)).toEqual([2, 1]);
  });

  it('let one through when all only create', async () => {
    const api = aSettingsApi();
    const more = { headers: { 'if-none-match': '*' } };

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => api.save({ value: `value ${i}` }, more)),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
  });

  it('work once when all carry the same Idempotency-Key', async () => {
    const api = aSettingsApi();
    const more = { headers: { 'idempotency-key': 'same' } };

    const answers = await Promise.all(Array.from({ length: 5 }, () => api.save({}, more)));

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'])).toHaveLength(4);
    expect(await versionsOf(api)).toEqual([1]);
  });
});

describe('a save', () => {
  it.each([1, 3, 7])('goes through after %i conflicts', async (times) => {
    const api = aSettingsApi();
    api.context.db.failNext('conflict', { operation: 'TransactWriteItems', times });

    const answer = await api.save();

    expect(answer.status).toBe(201);
    expect(await versionsOf(api)).toEqual([1]);
    expect(api.context.bus.events).toHaveLength(1);
  });

  it('gives up with 409 when conflicts do not end', async () => {
    const api = aSettingsApi();
    api.context.db.failNext('conflict', { operation: 'TransactWriteItems', times: 99 });

    const answer = await api.save();

    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ code: 'CONCURRENT_UPDATE' });
    expect(answer.headers).toMatchObject({ 'retry-after': '1' });
    expect(api.context.db.items()).toEqual([]);
  });

  it('runs again on what is stored when somebody was faster', async () => {
    const api = aSettingsApi();
    await api.save({ value: 'one' });
    const takeOff = api.context.db.before('TransactWriteItems', async () => {
      takeOff();
      await api.save({ value: 'faster' });
    });

    const answer = await api.save({ value: 'slower' });

    expect(answer.body).toMatchObject({ version: 3, value: 'slower' });
    expect(await versionsOf(api)).toEqual([3, 2, 1]);
  });

  it('does not run over a deletion that was faster', async () => {
    const api = aSettingsApi();
    await api.save({ value: 'one' });
    const takeOff = api.context.db.before('TransactWriteItems', async () => {
      takeOff();
      await api.remove('mail.from');
    });

    const answer = await api.save({ value: 'two', version: 1 });

    expect(answer.status).toBe(412);
    expect((await api.get('/mail.from')).status).toBe(404);
  });

  it.each([
    ['the network is down', 'network', undefined],
    ['the table is asked too much', 'throttling', 'GetItem'],
    ['the service fails', 'internal', 'TransactWriteItems'],
    ['the service fails while reading', 'internal', 'GetItem'],
  ] as const)('answers 503 and stores nothing when %s', async (_when, fault, operation) => {
    const api = aSettingsApi();
    await api.context.refreshScope.atInvocationStart();
    api.context.db.failNext(fault, {
      times: Number.POSITIVE_INFINITY,
      ...(operation && { operation }),
    });

    const answer = await api.save();

    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(answer.headers).toMatchObject({ 'retry-after': '1' });
    expect(answer.text).not.toMatch(/ECONN|svc-cloud-table|Exception/);
    expect(api.context.db.items()).toEqual([]);
    expect(api.context.bus.events).toEqual([]);
  });

  it('answers 503 when transactions are throttled without end', async () => {
    const api = aSettingsApi();
    api.context.db.failNext('throttling', { operation: 'TransactWriteItems', times: 99 });

    const answer = await api.save();

    expect(answer.status).toBe(503);
    expect(api.context.db.items()).toEqual([]);
  });

  it('is there as a whole when only the answer of the table was lost', async () => {
    const api = aSettingsApi();
    await api.context.refreshScope.atInvocationStart();
    api.context.db.failNext('answer-lost', { operation: 'TransactWriteItems' });

    const first = await api.save();
    const again = await api.save();

    expect(first.status).toBe(503);
    expect(again).toMatchObject({ status: 200, body: { version: 1 } });
  });
});

describe('saves while requests fail at random and the bus hangs', () => {
  it.each([1, 2, 3])('are there as a whole or not at all (seed %i)', async (seed) => {
    const api = aSettingsApi({ sendingMs: 20 });
    api.context.bus.mode = 'hanging';
    api.context.db.lagBehind(10);
    api.context.db.failAtRandom({
      share: 0.1,
      seed,
      faults: ['throttling', 'conflict', 'network', 'answer-lost'],
    });

    const statuses: number[] = [];
    for (let i = 0; i < 40; i += 1) statuses.push((await api.save({ value: `v${i}` })).status);
    api.context.db.stopFailing();
    api.context.db.catchUp();

    const versions = await versionsOf(api);
    const items = api.context.db.items();
    const confirmed = statuses.filter((status) => status < 300).length;
    expect(statuses.filter((status) => ![200, 201, 409, 503].includes(status))).toEqual([]);
    expect(versions.length).toBeGreaterThanOrEqual(confirmed);
    expect(versions).toEqual(Array.from(versions, (_, index) => versions.length - index));
    expect(items.find(({ sk }) => sk === 'current')).toMatchObject({ version: versions.length });
    expect(items.find(({ sk }) => sk === 'epoch')).toMatchObject({ epoch: versions.length });
    expect(items.filter(({ type }) => type === 'message')).toHaveLength(versions.length);
  });
});
