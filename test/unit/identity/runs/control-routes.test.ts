import { describe, expect, it } from 'vitest';
import { controlRoutes } from '../../../../functions/identity/api/sync/control-routes.ts';
import { problems } from '../../../../functions/identity/errors.ts';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';
import { aSource, syncWorld } from '../../../helpers/identity/sync-world.ts';
import { connect } from '../../../helpers/world/a-context.ts';

const ID = '0199d1f0-7a4c-7c57-a7de-0b9c1f2e6a10';
const PATH = '/api/v1/identity_source/sync';

async function connected(more: Parameters<typeof aSource>[0] = {}) {
  const source = aSource({ id: ID, ...more });
  const world = await syncWorld(source);
  world.fill(3);
  const sources = {
    get: async (id: string) => {
      if (id !== ID) throw problems.sourceNotFound({ source: id });
      return source;
    },
  };
  const api = connect(
    () => ({ routes: controlRoutes({ sources, sync: world.sync }) }),
    world.context,
  );
  const post = (path: string, body: unknown = {}, caller?: TestClaims | null) =>
    api.call({
      method: 'POST',
      path: `${PATH}${path}`,
      body,
      ...(caller !== undefined && { caller }),
    });
  return { world, post };
}

describe('the routes of runs', () => {
  it('start a run after its histories were stored', async () => {
    const { world, post } = await connected();
    const { status, body } = await post(`/execute/${ID}`);
    expect(status).toBe(202);
    expect(world.machine.started).toMatchObject([
      { name: body.batch, input: { sourceId: ID, trigger: 'MANUAL' } },
    ]);
    expect((await world.rows(String(body.batch))).user).toMatchObject({
      ...{ id: body.userHistoryId, status: 'PENDING' },
    });
    await world.machine.work();
    expect((await world.rows(String(body.batch))).user.status).toBe('SUCCESS');
  });

  it('start one run for one Idempotency-Key', async () => {
    const { world } = await connected();
    const sources = { get: async () => aSource({ id: ID }) };
    const api = connect(
      () => ({ routes: controlRoutes({ sources, sync: world.sync }) }),
      world.context,
    );
    const headers = { 'idempotency-key': 'once' };
    const request = { method: 'POST', path: `${PATH}/execute/${ID}`, body: {}, headers };
    const [first, second] = [await api.call(request), await api.call(request)];
    expect(second.body).toEqual(first.body);
    expect(world.machine.started).toHaveLength(1);
  });

  it('refuse what cannot be started', async () => {
    const { post } = await connected({ enabled: false });
    expect((await post(`/execute/${ID}`)).body).toMatchObject({
      status: 409,
      code: 'SOURCE_DISABLED',
    });
    expect((await post(`/execute/${ID}`, { dryRun: true })).status).toBe(202);
    expect((await post(`/execute/${ID}`, { mode: 'half' })).body).toMatchObject({
      ...{ status: 400, errors: [{ pointer: '/mode' }] },
    });
    expect((await post('/execute/0199d1f0-7a4c-7c57-a7de-0b9c1f2e6aff')).status).toBe(404);
    const { post: other } = await connected({ configured: false });
    expect((await other(`/execute/${ID}`)).body).toMatchObject({ code: 'NOT_CONFIGURED' });
  });

  it('refuse whoever has no permission', async () => {
    const { post } = await connected();
    expect((await post(`/execute/${ID}`, {}, null)).status).toBe(401);
    expect((await post(`/execute/${ID}`, {}, { sub: 'nobody' })).status).toBe(403);
  });

  it('approve and cancel runs that wait for it, and no others', async () => {
    const { world, post } = await connected();
    const { batch } = (await post(`/execute/${ID}`, { dryRun: true })).body;
    await world.machine.work();
    expect((await post(`/approve/${batch}`)).status).toBe(202);
    await world.machine.work();
    expect(world.accounts.all.size).toBe(3);
    expect((await post(`/approve/${batch}`)).body).toMatchObject({
      status: 409,
      code: 'RUN_STATE',
    });
    expect((await post(`/cancel/${batch}`)).body).toMatchObject({ status: 409, code: 'RUN_STATE' });
    expect((await post(`/cancel/${ID}`)).body).toMatchObject({
      status: 404,
      code: 'SYNC_RUN_NOT_FOUND',
    });
    const next = (await post(`/execute/${ID}`)).body.batch;
    expect((await post(`/cancel/${next}`)).status).toBe(204);
  });
});

describe('POST sync/provision/{id}', () => {
  it('makes users at the source, links them, and leaves those alone that it knows', async () => {
    const { world, post } = await connected();
    await world.byHand();
    const local = (id: string, more: object = {}) => ({
      ...{ id, userName: id, orgIds: [], origin: 'LOCAL' as const, links: [] },
      ...{ status: 'ENABLED' as const, ...more },
    });
    world.directory.users.set('u-900', { id: 'u-900', userName: 'there' });
    await world.accounts.createMany([
      ...[local('new'), local('there'), local('user-x', { userName: 'user-1x' })],
      ...[local('off', { status: 'DISABLED', disabledBy: 'ADMIN' }), local('far', { tenant: 't' })],
    ]);
    const known = [...world.accounts.all.values()].find(({ userName }) => userName === 'user-0');
    const userIds = ['new', 'there', 'off', 'far', 'nobody', known?.id];

    const { status, body } = await post(`/provision/${ID}`, { userIds });
    const again = await post(`/provision/${ID}`, { userIds: ['new'] });

    expect(status).toBe(200);
    const told = body.content as { userId: string; status: string; reasonCode: string | null }[];
    expect(told.map((each) => [each.userId, each.status, each.reasonCode])).toEqual([
      ['new', 'SUCCESS', null],
      ['there', 'SUCCESS', null],
      ['off', 'SKIP', 'ACCOUNT_DISABLED'],
      ['far', 'FAIL', 'NOT_FOUND'],
      ['nobody', 'FAIL', 'NOT_FOUND'],
      [known?.id, 'SKIP', 'ALREADY_LINKED'],
    ]);
    expect(told).toMatchObject([
      { isNew: true },
      { isNew: false, externalId: 'u-900' },
      {},
      {},
      {},
      {},
    ]);
    expect(again.body.content).toMatchObject([{ reasonCode: 'ALREADY_LINKED' }]);
    expect(world.accounts.all.get('new')?.links).toMatchObject([{ sourceId: ID }]);
    const { user } = await world.byHand();
    expect(user).toMatchObject({ status: 'SUCCESS', counts: { created: 0, updated: 2 } });
  });

  it('is refused while a run holds the source, and of a source that is disabled', async () => {
    const { world, post } = await connected();
    await world.context.unitOfWork(async (unit) => {
      const leaseUntil = world.context.clock.now() + 60_000;
      world.locks.stage(unit, { ...(await world.locks.of(ID)), owner: 'somebody', leaseUntil });
    });
    const { post: other } = await connected({ enabled: false });

    const busy = await post(`/provision/${ID}`, { userIds: ['x'] });
    const off = await other(`/provision/${ID}`, { userIds: ['x'] });

    expect([busy.body.code, off.body.code]).toEqual(['SYNC_IN_PROGRESS', 'SOURCE_DISABLED']);
  });
});
