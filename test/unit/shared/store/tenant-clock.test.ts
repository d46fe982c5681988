import { describe, expect, it } from 'vitest';
import { createSettingsModule } from '../../../../functions/settings/index.ts';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { createTenantClock, stageAdvance } from '../../../../shared/store/tenant-clock.ts';
import { testSecurity } from '../../../helpers/api/test-tokens.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';
import { loadConfig } from '../../../helpers/world/svc-config.ts';
import { aCustomerEntity, anEntitiesApi, RECORDS } from '../../entities/entities-api.ts';

const CLOCK = '/api/v1/clock';
const svc = { security: { ...testSecurity, 'test-clock': true } };
const callerOf = (tenant?: string) => ({
  sub: `user-of-${tenant}`,
  roles: ['admin'],
  ...(tenant && { tenant }),
});
const DAY_MS = 86_400_000;

/** The settings function, which advances clocks, beside the entities function over one table. */
async function platform() {
  const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
  const entities = anEntitiesApi({ host, svc });
  await entities.define(aCustomerEntity());
  const settings = connect(createSettingsModule, aContext({ svc, besides: entities.context }));
  return {
    ...entities,
    advance: (by: unknown, tenant?: string) =>
      settings.call({ method: 'POST', path: CLOCK, body: { by }, caller: callerOf(tenant) }),
    announce: async (tenant?: string) => {
      const body = { format: 'csv', sizeBytes: 4, sha256: '0'.repeat(64) };
      const caller = callerOf(tenant);
      const path = `${RECORDS}/customer/import/uploads`;
      const { headers } = await entities.post(path, body, { caller });
      return async () => (await entities.get(String(headers.location), { caller })).status;
    },
  };
}

describe('the clock of a tenant', () => {
  it('makes what is due by then due for that tenant, and for no other', async () => {
    const { advance, announce } = await platform();
    const uploads = [await announce('acme'), await announce('other'), await announce()];
    const statuses = () => Promise.all(uploads.map((status) => status()));
    expect(await statuses()).toEqual([200, 200, 200]);

    const advanced = await advance('8d', 'acme');

    expect(advanced.body).toEqual({ tenant: 'acme', now: '2026-03-09T09:30:00.000Z' });
    expect(await statuses()).toEqual([404, 200, 200]);
    expect((await advance('P8D')).body).toMatchObject({ tenant: null });
    expect(await statuses()).toEqual([404, 200, 404]);
  });

  it('stamps what the tenant writes, and leaves the time of the machine alone', async () => {
    const { advance, post, context } = await platform();
    await advance('P1D', 'acme');

    const { body } = await post(
      `${RECORDS}/customer`,
      { name: 'Mai' },
      { caller: callerOf('acme') },
    );

    expect(body.createdAt).toBe('2026-03-02T09:30:00.000Z');
    expect(context.tenantClock.machine.now()).toBe(Date.parse('2026-03-01T09:30:00.000Z'));
    expect(context.clock.now()).toBe(context.tenantClock.machine.now());
  });

  it('adds up, and tells sweeps the time of each tenant', async () => {
    const { advance, context } = await platform();
    const now = context.tenantClock.machine.now();
    await advance('P1D', 'acme');
    await advance('PT1H', 'other');
    await advance('P1D', 'acme');

    const times = await context.tenantClock.times();

    expect(times.latest).toBe(now + 2 * DAY_MS);
    const all = ['acme', 'other', 'third', undefined].map((tenant) => times.of(tenant) - now);
    expect(all).toEqual([2 * DAY_MS, 3_600_000, 0, 0]);
  });

  it('goes ahead ten years and no further, however often and by how many callers it is advanced', async () => {
    const { advance, context } = await platform();
    const now = context.tenantClock.machine.now();

    const answers = await Promise.all(Array.from({ length: 12 }, () => advance('366d', 'acme')));

    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 400, 400]);
    expect((await context.tenantClock.times()).of('acme') - now).toBe(3_660 * DAY_MS);
    const refused = await advance('1ms', 'acme');
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/by', code: 'TOO_BIG' }] });
    expect((await advance('1d', 'other')).status).toBe(200);
  });

  it.each(['__proto__', 'a.b#c', '', ' ', '💥', 'x'.repeat(300), 'tenant#acme'])(
    'is that of the tenant %j alone',
    async (tenant) => {
      const { context } = await platform();
      const { machine, at, times } = context.tenantClock;
      const tooFar = () => new Error('too far');

      await context.unitOfWork(async (unit) => stageAdvance(unit, tenant, { ms: DAY_MS }, tooFar));

      const seen = await at(tenant, async () => context.clock.now());
      expect(seen - machine.now()).toBe(DAY_MS);
      expect((await times()).of('acme')).toBe(machine.now());
    },
  );

  it('stands once it is stopped, however often, and moves by advances only', async () => {
    const { context } = await platform();
    const { machine, at, times } = context.tenantClock;
    const stoppedAt = machine.now();
    const move = (ms: number, stopAt?: number) =>
      context.unitOfWork(async (unit) =>
        stageAdvance(unit, 'acme', { ms, stopAt }, () => new Error('too far')),
      );

    await move(DAY_MS, machine.now());
    context.machineClock.advance(90_000);
    await move(1_000, machine.now());
    context.machineClock.advance(90_000);
    await move(1_000);

    const seen = await at('acme', async () => context.clock.now());
    expect(seen).toBe(stoppedAt + DAY_MS + 2_000);
    const { of, latest } = await times();
    expect([of('acme'), latest]).toEqual([seen, seen]);
    expect(of('other')).toBe(stoppedAt + 180_000);
  });

  it('counts fractions of seconds', async () => {
    const { advance } = await platform();

    expect((await advance('PT0.5S', 'acme')).body).toMatchObject({
      now: '2026-03-01T09:30:00.500Z',
    });
  });

  it.each([
    '-PT1H',
    `${'9'.repeat(400)}d`,
    'PT0.0001S',
    'PT1E9H',
    'PT0S',
    '400d',
    'soon',
    '',
    7,
    null,
  ])('is not advanced by %j', async (by) => {
    const { advance } = await platform();

    const answer = await advance(by, 'acme');

    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.errors).toMatchObject([{ pointer: '/by' }]);
  });

  it('is advanced by those who may edit clocks', async () => {
    const settings = connect(createSettingsModule, aContext({ svc }));
    const caller = { sub: 'mai', permissions: ['clock:view'] };

    const answer = await settings.call({ method: 'POST', path: CLOCK, body: { by: '1d' }, caller });

    expect(answer.status).toBe(403);
  });
});

describe('without the clock for tests', () => {
  it('there is no such path', async () => {
    const settings = connect(createSettingsModule, aContext());

    const answer = await settings.call({ method: 'POST', path: CLOCK, body: { by: '1d' } });

    expect(answer).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } });
  });

  it.each([
    ['prod', true],
    ['local', false],
  ])(
    'on the stage %s (property: %s) every tenant has the time of the machine, and nothing is read',
    async (stage, testClock) => {
      const { db, table, tenantClock } = aContext();
      const place = { environment: { stage }, config: { security: { testClock } } };
      const clock = createTenantClock(place, table, tenantClock.machine);

      const now = await clock.at('acme', async () => clock.now());
      const { latest, of } = await clock.times();

      expect(new Set([now, clock.now(), latest, of('acme')])).toEqual(
        new Set([tenantClock.machine.now()]),
      );
      expect(db.meter.requests).toEqual([]);
    },
  );

  it('the property is refused outside the stage local', () => {
    const raw = { 'security.test-clock': true };

    expect(() => loadConfig(raw, { stage: 'prod' })).toThrow('SECURITY_TEST_CLOCK_NOT_LOCAL');
    expect(() => loadConfig(raw, { stage: 'local' })).not.toThrow();
  });
});
