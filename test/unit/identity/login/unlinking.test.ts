import { describe, expect, it } from 'vitest';
import { aUser } from '../../../../functions/identity/contract/contract-case.ts';
import type { SessionIssuer } from '../../../../shared/ports/identity.ts';
import {
  aLoginApi,
  aProvider,
  browserOf,
  PROVIDERS,
  providerOfTests,
} from '../../../helpers/identity/openid/login-world.ts';

const world = providerOfTests({ sub: 'lan-1', preferred_username: 'lan' });

/** A platform on which Lan has logged in through the provider `staff`. */
async function loggedIn() {
  const api = aLoginApi(world.openid);
  const id = await aProvider(api, world.openid);
  const { body } = await browserOf(api, world.openid).enter();
  const { id: userId } = body.user as { readonly id: string };
  const unlink = (code = 'staff') =>
    api.remove(`${PROVIDERS}/${code}/link`, { token: String(body.accessToken) });
  const links = async () =>
    ((await api.get(`/api/v1/users/${userId}`)).body.links as { sourceId: string }[]).map(
      ({ sourceId }) => sourceId,
    );
  const link = (sourceId: string) =>
    api.services.users.link(userId, { sourceId, externalId: 'x', hash: '', active: true });
  return { api, id, unlink, link, links };
}

describe('DELETE /api/v1/identity_provider/{code}/link', () => {
  it('leaves the last way to log in, and takes any other', async () => {
    const { api, id, unlink, link, links } = await loggedIn();
    const other = await aProvider(api, world.openid, { name: 'Other', code: 'other' });

    const last = await unlink();
    await link(other);
    await api.put(`${PROVIDERS}/disable/${other}`);
    const besideDisabled = await unlink();
    await api.put(`${PROVIDERS}/enable/${other}`);
    const first = await unlink();
    const nothing = await unlink();
    const second = await unlink('other');

    expect([last, besideDisabled, second].map(({ body }) => body.code)).toEqual([
      ...['LAST_LOGIN', 'LAST_LOGIN', 'LAST_LOGIN'],
    ]);
    expect([first.status, nothing.status]).toEqual([204, 204]);
    expect(await links()).toEqual([other]);
    expect(other).not.toBe(id);
  });

  it('takes the link of somebody whom the source of the provider knows', async () => {
    const api = aLoginApi(world.openid);
    const source = await api.aSource();
    await aProvider(api, world.openid, { identitySourceId: source });
    const known = { sourceId: source, externalId: 'lan-1', hash: '', active: true };
    await api.services.users.createMany([aUser('lan', { links: [known] })]);
    const { body } = await browserOf(api, world.openid).enter();

    const token = String(body.accessToken);
    const { status } = await api.remove(`${PROVIDERS}/staff/link`, { token });

    expect(status).toBe(204);
    expect((await api.services.users.findById('lan'))?.links).toEqual([
      { sourceId: source, externalId: 'lan-1' },
    ]);
  });

  it('takes the link of an account that has a password', async () => {
    const { api, unlink } = await loggedIn();
    const [lan] = (await api.get('/api/v1/users')).body.content as { id: string }[];
    const stored = await api.services.users.findById(lan?.id ?? '');
    const key = { pk: `USER#${lan?.id}`, sk: 'HEAD' };
    const item = await api.context.table.get<{ pk: string; sk: string; type: string }>(key);
    const credential = { kind: 'SOURCE_DEFAULT', sourceId: 's', version: 1, mustChange: true };
    await api.context.unitOfWork(async (unit) =>
      unit.put({ ...(item ?? { ...key, type: 'user' }), account: { ...stored, credential } }),
    );

    expect((await unlink()).status).toBe(204);
  });

  it('asks nothing where the host has logins of its own', async () => {
    const sessionIssuer: SessionIssuer = {
      issue: async () => ({ accessToken: 'of the host', tokenType: 'Bearer', expiresIn: 60 }),
    };
    const api = aLoginApi(world.openid, { host: { sessionIssuer } });
    const id = await aProvider(api, world.openid);
    const { body } = await browserOf(api, world.openid).enter();
    const { id: sub } = body.user as { readonly id: string };

    const { status } = await api.remove(`${PROVIDERS}/staff/link`, { caller: { sub } });

    expect(status).toBe(204);
    expect((await api.services.users.findById(sub))?.links).toEqual([]);
    expect(id).toBeDefined();
  });
});

describe('a login of somebody whom a source has', () => {
  it('finds the account by the externalId of SCIM, and tells the source the claim of a new one', async () => {
    const api = aLoginApi(world.openid);
    const source = await api.aSource();
    const config = { externalIdClaim: 'employee' };
    const provider = await aProvider(api, world.openid, { identitySourceId: source, config });
    const link = { sourceId: source, externalId: '2819', hash: '', active: true, alias: 'E-1' };
    await api.services.users.createMany([aUser('known', { links: [link] })]);
    const { enter } = browserOf(api, world.openid);
    world.person = { sub: 'p-1', preferred_username: 'whoever', employee: 'E-1' };
    const known = await enter();
    world.person = { sub: 'p-2', preferred_username: 'new', employee: 'E-2' };

    await enter();

    expect(known.body.user).toMatchObject({ id: 'known' });
    const waiting = (await api.get('/api/v1/users?q=new')).body.content as { links: unknown }[];
    expect(waiting[0]?.links).toEqual([{ sourceId: provider, externalId: 'p-2', alias: 'E-2' }]);
  });
});
