import { describe, expect, it } from 'vitest';
import { aLink, aUser } from '../../../../functions/identity/contract/contract-case.ts';
import type { NewUser } from '../../../../shared/ports/identity.ts';
import { anIdentityApi, ofTenant, SOURCES } from '../../../helpers/identity/identity-api.ts';

const PROVIDERS = '/api/v1/identity_provider';

/** A source with a department, and accounts that only it knows, and others. */
async function aPlatform(protectedIds: readonly string[] = []) {
  const isProtected = ({ id }: { readonly id: string }) => protectedIds.includes(id);
  const api = anIdentityApi({ host: { protectedAccounts: { isProtected } } });
  const id = await api.aSource();
  const { users, departments } = api.services;
  const config = { issuer: 'https://login.example.com', clientId: 'c' };
  const body = { name: 'Staff', code: 'staff', identitySourceId: id, config };
  const provider = String((await api.post(`${PROVIDERS}/create`, body)).body.id);
  await departments.createMany([
    { id: 'root', name: 'Crew' },
    { id: 'd1', name: 'Sales', parentId: 'root', sourceId: id, externalId: 'g1', hash: 'h' },
    { id: 'd2', name: 'North', parentId: 'd1', sourceId: id, externalId: 'g2', hash: 'h' },
  ]);
  const source = { sourceId: id };
  const accounts: readonly NewUser[] = [
    aUser('only', { links: [aLink('1', source)], orgIds: ['d2'] }),
    aUser('logs-in', { links: [aLink('2', source), aLink('x', { sourceId: provider })] }),
    aUser('shared', { links: [aLink('3', source), aLink('y', { sourceId: 'other' })] }),
    aUser('local', { origin: 'LOCAL', links: [aLink('4', source)] }),
    aUser('protected', { links: [aLink('5', source)] }),
    aUser('foreign', { links: [aLink('6', { sourceId: 'other' })] }),
  ];
  await users.createMany(accounts);
  const seen = async () => {
    const found = await Promise.all(accounts.map((each) => users.findById(each.id)));
    return Object.fromEntries(
      found.map((account, at) => [
        accounts[at]?.id,
        account && [account.status, account.links.some(({ sourceId }) => sourceId === id)],
      ]),
    );
  };
  const remove = async (policy: string) => {
    const answer = await api.remove(`${SOURCES}/delete/${id}?accounts=${policy}`);
    await api.services.jobs.run({ jobId: String(answer.body.id) });
    const job = (await api.get(String(answer.headers.location))).body;
    return { answer, job };
  };
  return { api, id, users, departments, seen, remove };
}

describe('DELETE /api/v1/identity_source/delete/{id} with accounts', () => {
  it('disables those that only the source knows, and takes the link from the others', async () => {
    const { api, id, seen, remove, departments } = await aPlatform(['protected']);

    const { answer, job } = await remove('disable');

    expect(answer.status).toBe(202);
    expect(job).toMatchObject({
      ...{ state: 'DONE', processed: 5 },
      result: { disabled: 2, deleted: 0, unlinked: 3, failed: 0, departments: 0 },
    });
    expect(await seen()).toEqual({
      ...{ only: ['DISABLED', false], 'logs-in': ['DISABLED', false] },
      ...{ shared: ['ENABLED', false], local: ['ENABLED', false] },
      ...{ protected: ['ENABLED', false], foreign: ['ENABLED', false] },
    });
    expect((await departments.ofSource(id)).length).toBe(2);
    expect((await api.get(`${SOURCES}/get/${id}`)).status).toBe(404);
  });

  it('deletes them with the departments that are empty then', async () => {
    const { seen, remove, departments, id } = await aPlatform();

    const { job } = await remove('delete');

    expect(job.result).toMatchObject({ deleted: 3, unlinked: 2, departments: 2 });
    expect(await seen()).toMatchObject({
      ...{ only: undefined, 'logs-in': undefined, protected: undefined },
      ...{ shared: ['ENABLED', false], local: ['ENABLED', false] },
    });
    expect(await departments.ofSource(id)).toEqual([]);
    expect(await departments.get('root')).toBeDefined();
  });

  it('goes on after accounts that cannot be stored, and after many', async () => {
    const { users, remove, id } = await aPlatform();
    const many = Array.from({ length: 150 }, (_, at) =>
      aUser(`m-${at}`, { origin: 'SOURCE', links: [aLink(`m-${at}`, { sourceId: id })] }),
    );
    await users.createMany(many);
    const { remove: removeAccount } = users;
    users.remove = async (userId, options) =>
      userId === 'm-7'
        ? { kind: 'failed', code: 'REPOSITORY_ERROR', detail: 'no' }
        : removeAccount.call(users, userId, options);

    const { job } = await remove('delete');

    expect(job.result).toMatchObject({ deleted: 152, unlinked: 2, failed: 1 });
    expect(await users.findById('m-7')).toBeDefined();
  });

  it('does nothing to the account of whoever asks', async () => {
    const { api, id, users } = await aPlatform();
    const caller = { sub: 'only', roles: ['admin'] };
    const path = `${SOURCES}/delete/${id}?accounts=delete`;

    const { body } = await api.remove(path, { caller });
    await api.services.jobs.run({ jobId: String(body.id) });

    expect((await users.findById('only'))?.status).toBe('ENABLED');
  });

  it('shows the job to nobody of another tenant', async () => {
    const { api, id, remove } = await aPlatform();
    const { answer } = await remove('disable');
    const path = `${SOURCES}/delete/${id}/jobs/${answer.body.id}`;

    const other = await api.get(path, { caller: ofTenant('other') });

    expect(other.body.code).toBe('ACCOUNT_REMOVAL_NOT_FOUND');
  });
});
