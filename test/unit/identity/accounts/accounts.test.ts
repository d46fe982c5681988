import { describe, expect, it } from 'vitest';
import { aLink, aUser } from '../../../../functions/identity/contract/contract-case.ts';
import { problems } from '../../../../functions/identity/errors.ts';
import { anIdentityApi, ofTenant, SOURCES } from '../../../helpers/identity/identity-api.ts';
import { memorySync } from '../../../helpers/identity/memory-sync.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';

const USERS = '/api/v1/users';
const TREE = [
  { id: 'a', name: 'Head office' },
  { id: 'b', name: 'Sales', parentId: 'a', order: 2 },
  { id: 'c', name: 'Finance', parentId: 'a', order: 1 },
];

async function withPeople() {
  const api = anIdentityApi();
  await api.services.departments.createMany(TREE);
  await api.services.users.createMany([
    aUser('1', { userName: 'lan', fullName: 'Nguyễn Thị Lan', orgIds: ['b'] }),
    aUser('2', { userName: 'minh', email: 'minh@example.com', orgIds: ['c', 'b'] }),
    aUser('3', { userName: 'an', status: 'DISABLED', links: [aLink('3', { sourceId: 's2' })] }),
    aUser('4', { userName: 'other', tenant: 'north' }),
  ]);
  return api;
}

const idsOf = ({ body }: ApiAnswer) =>
  (body.content as readonly { readonly id: string }[]).map(({ id }) => id);

describe('GET /api/v1/users', () => {
  it('lists the users of the tenant by name, and those that fit', async () => {
    const api = await withPeople();
    const list = async (query = '') => idsOf(await api.get(`${USERS}${query}`));

    expect(await list()).toEqual(['3', '1', '2']);
    expect(await list('?q=NGUY%E1%BB%84N')).toEqual(['1']);
    expect(await list('?q=minh@')).toEqual(['2']);
    expect(await list('?departmentId=b')).toEqual(['1', '2']);
    expect(await list('?sourceId=s2')).toEqual(['3']);
    expect(await list('?status=ENABLED&departmentId=c')).toEqual(['2']);
    const first = await api.get(`${USERS}?size=1`);
    expect(await list(`?size=1&cursor=${first.body.nextCursor}`)).toEqual(['1']);
    expect(idsOf(await api.get(USERS, { caller: ofTenant('north') }))).toEqual(['4']);
  });
});

describe('a user', () => {
  it('is enabled and disabled by an administrator, and tokens of a disabled one end', async () => {
    const api = await withPeople();

    const disabled = await api.put(`${USERS}/1/disable`);
    const again = await api.put(`${USERS}/1/disable`);

    expect(disabled.body).toMatchObject({ status: 'DISABLED', disabledBy: 'ADMIN', version: 2 });
    expect(again.body.version).toBe(2);
    const revoked = api.context.db.items().filter(({ pk }) => pk === 'SESSION#revoked');
    expect(revoked).toMatchObject([{ subjects: ['1'] }]);
    expect((await api.put(`${USERS}/1/enable`)).body).toMatchObject({ status: 'ENABLED' });
  });

  it('is taken from a source, once, and is the same otherwise', async () => {
    const api = await withPeople();
    await api.services.users.link('1', aLink('e-1', { sourceId: 's2' }));

    const unlinked = await api.remove(`${USERS}/1/links/s1`);
    const again = await api.remove(`${USERS}/1/links/s1`);

    expect(unlinked).toMatchObject({
      ...{ status: 200, body: { userName: 'lan', status: 'ENABLED', version: 3 } },
    });
    expect(unlinked.body.links).toEqual([{ sourceId: 's2', externalId: 'e-1' }]);
    expect(again.body).toEqual(unlinked.body);
    expect(await api.services.users.findByExternal('s1', '1')).toBeUndefined();
    expect((await api.remove(`${USERS}/nobody/links/s1`)).status).toBe(404);
    const north = { caller: ofTenant('north') };
    expect((await api.remove(`${USERS}/1/links/s2`, north)).status).toBe(404);
    expect((await api.services.users.findByExternal('s2', 'e-1'))?.id).toBe('1');
  });

  it('keeps its link while a run of the source goes on', async () => {
    const busy = async () => {
      throw problems.syncInProgress({ runningBatch: 'batch-1' });
    };
    const api = anIdentityApi({ sync: memorySync({ demandFree: busy }) });
    const sourceId = await api.aSource();
    await api.services.users.createMany([aUser('1', { links: [aLink('1', { sourceId })] })]);

    const answer = await api.remove(`${USERS}/1/links/${sourceId}`);

    expect([answer.status, answer.body.code]).toEqual([409, 'SYNC_IN_PROGRESS']);
    expect((await api.services.users.findByExternal(sourceId, '1'))?.id).toBe('1');
  });

  it('of another tenant does not exist, and nobody disables the own account', async () => {
    const api = await withPeople();
    const self = { sub: '1', roles: ['admin'] };

    expect((await api.get(`${USERS}/4`)).status).toBe(404);
    expect((await api.put(`${USERS}/4/disable`)).body.code).toBe('USER_NOT_FOUND');
    expect((await api.put(`${USERS}/1/disable`, undefined, { caller: self })).body.code).toBe(
      'OWN_ACCOUNT',
    );
    expect((await api.get(USERS, { caller: { sub: 'x' } })).status).toBe(403);
  });

  it('has the default password of its source while the account names its version', async () => {
    const api = anIdentityApi();
    const id = await api.aSource({ strategyConfig: { user: { defaultPassword: 'first-1-pass' } } });
    const credential = (version: number) => ({
      credential: { kind: 'SOURCE_DEFAULT' as const, sourceId: id, version, mustChange: true },
    });
    await api.put(`${SOURCES}/save/config`, {
      ...{ id, strategyConfig: { user: { defaultPassword: 'second-2-pass' } } },
    });
    await api.services.users.createMany([
      aUser('1', credential(1)),
      aUser('2', credential(2)),
      aUser('3', { ...credential(2), status: 'DISABLED' }),
    ]);
    const verify = async (name: string, password: string) =>
      (await api.services.accounts.verifyPassword(name, password))?.user.id;

    expect(await verify('NAME-1', 'first-1-pass')).toBe('1');
    expect(await verify('name-1', 'second-2-pass')).toBeUndefined();
    expect(await verify('name-2', 'second-2-pass')).toBe('2');
    expect(await verify('name-3', 'second-2-pass')).toBeUndefined();
    expect(await verify('nobody', 'second-2-pass')).toBeUndefined();
  });

  it('has the codes of its departments and of those above as groups', async () => {
    const api = await withPeople();
    const account = await api.services.users.findById('2');
    if (!account) throw new Error('The account is gone');

    expect(await api.services.accounts.groupsOf(account)).toEqual([
      'finance',
      'sales',
      'head-office',
    ]);
  });
});

describe('GET /api/v1/departments/tree', () => {
  it('shows departments below each other, in their order', async () => {
    const api = await withPeople();

    const { body } = await api.get('/api/v1/departments/tree');

    expect(body.content).toMatchObject([
      { id: 'a', code: 'head-office', children: [{ id: 'c' }, { id: 'b', children: [] }] },
    ]);
  });
});
