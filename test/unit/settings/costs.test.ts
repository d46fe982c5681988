import { describe, expect, it } from 'vitest';
import { anAesKey, aSettingsApi, type SettingsApi } from './settings-api.ts';

/** A module whose environment is warm: it has looked at the epoch. */
async function aWarmApi(): Promise<SettingsApi> {
  const api = aSettingsApi();
  await api.save();
  return api;
}

const READ = 'GetItem';
/** The notice of the change is marked as sent. */
const MARK = 'UpdateItem 1';

describe('requests to the table', () => {
  it.each([
    ['GET /{key}', (api: SettingsApi) => api.get('/mail.from'), [READ], 1, 0],
    ['GET /{key}/detail', (api: SettingsApi) => api.get('/mail.from/detail'), [READ], 1, 0],
    ['GET /{key}/history', (api: SettingsApi) => api.get('/mail.from/history'), ['Query 1'], 1, 0],
    ['GET / (list)', (api: SettingsApi) => api.get(''), ['Query 1'], 0.5, 0],
    ['an unchanged save', (api: SettingsApi) => api.save(), [READ], 1, 0],
    ['a refused save', (api: SettingsApi) => api.save({ value: null }), [], 0, 0],
    [
      'a save over a stale version',
      (api: SettingsApi) => api.save({ value: 'x', version: 9 }),
      [READ],
      1,
      0,
    ],
    [
      'a save',
      (api: SettingsApi) => api.save({ value: 'x' }),
      [READ, READ, 'TransactWriteItems 5', MARK],
      2,
      14,
    ],
    [
      'a first save',
      (api: SettingsApi) => api.save({ name: 'new' }),
      [READ, 'Query 0', READ, 'TransactWriteItems 5', MARK],
      3,
      14,
    ],
    [
      'a save with an Idempotency-Key',
      (api: SettingsApi) => api.save({ value: 'x' }, { headers: { 'idempotency-key': 'k' } }),
      [READ, READ, READ, 'TransactWriteItems 6', MARK],
      3,
      16,
    ],
    [
      'DELETE /{key}',
      (api: SettingsApi) => api.remove('mail.from'),
      [READ, READ, 'TransactWriteItems 5', MARK],
      2,
      15,
    ],
    [
      'POST /refresh',
      (api: SettingsApi) => api.post('/refresh', { key: 'a' }),
      [READ, 'TransactWriteItems 3', MARK],
      1,
      9,
    ],
    [
      'a caller without permission',
      (api: SettingsApi) => api.get('/mail.from', { caller: { sub: 'x' } }),
      [],
      0,
      0,
    ],
    ['a path that is not known', (api: SettingsApi) => api.get('/a/b/c'), [], 0, 0],
  ] as const)('%s', async (_what, work, requests, readUnits, writeUnits) => {
    const api = await aWarmApi();

    const cost = await api.context.db.meter.costOf(() => work(api));

    expect(cost).toEqual({ requests, readUnits, writeUnits });
  });

  it('a rotation of the AES key writes the ring in the same transaction', async () => {
    const api = await aWarmApi();
    const name = 'security.aes_secret';
    await api.save({ name, value: anAesKey(1) });

    const cost = await api.context.db.meter.costOf(() => api.save({ name, value: anAesKey(2) }));

    expect(cost.requests).toEqual([READ, READ, 'TransactWriteItems 6', MARK]);
  });

  it('one look at the epoch for all calls within the staleness', async () => {
    const api = await aWarmApi();
    api.context.clock.advance(10_000);
    await api.get('/mail.from');
    api.context.clock.advance(10_000);

    const cost = await api.context.db.meter.costOf(async () => {
      for (let i = 0; i < 5; i += 1) await api.get('/mail.from');
    });

    expect(cost.requests).toHaveLength(6);
  });
});
