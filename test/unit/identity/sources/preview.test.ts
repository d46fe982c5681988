import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../../functions/identity/providers/source-error.ts';
import { anIdentityApi, CONNECTION, SOURCES } from '../../../helpers/identity/identity-api.ts';
import { memorySync } from '../../../helpers/identity/memory-sync.ts';
import { aSource, syncWorld } from '../../../helpers/identity/sync-world.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const LAN = {
  ...{ id: 'u-1', userName: 'lan', externalId: 'E-1', displayName: 'Lan' },
  emails: [{ value: 'Lan@Example.com' }],
  [ENTERPRISE]: { employeeNumber: 4711 },
};

/** An API whose sources are read from a directory in memory. */
async function aPlatform() {
  const id = '0199d1f0-7a4c-7c57-a7de-0b9c1f2e6a10';
  const world = await syncWorld(aSource({ id }));
  world.directory.users.set('u-1', LAN);
  const members = [{ value: 'u-1', type: 'User' }];
  world.directory.groups.set('g-1', { id: 'g-1', displayName: 'Sales', members });
  const api = anIdentityApi({ sync: memorySync({ preview: world.sync.preview }) });
  const preview = (strategyConfig: object = {}, more: object = { externalId: 'u-1' }) =>
    api.post(`${SOURCES}/mapping_preview`, {
      ...{ provider: 'EXTSRC', ...more },
      config: { basicConfig: CONNECTION, strategyConfig },
    });
  return { world, api, preview };
}

describe('POST /api/v1/identity_source/mapping_preview', () => {
  it('shows the account that a mapping makes of a user, with departments and roles', async () => {
    const { preview, api } = await aPlatform();
    const mapping = { nickName: 'displayName', badge: `${ENTERPRISE}:employeeNumber` };

    const { status, body } = await preview({ mapping, roles: { Sales: ['seller'] } });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ externalId: 'u-1', refused: null, inScope: true, departments: ['Sales'] },
      user: {
        ...{ userName: 'lan', email: 'lan@example.com', nickName: 'Lan', phone: null },
        ...{ sourceExternalId: 'E-1', active: true, roles: ['seller'] },
        attributes: { badge: '4711' },
      },
      account: null,
    });
    expect(api.context.db.items()).toEqual([expect.objectContaining({ calls: 1 })]);
  });

  it('says what would change of an account that is linked', async () => {
    const { world, api } = await aPlatform();
    await world.byHand();
    const id = await api.aSource({ basicConfig: CONNECTION });
    const account = [...world.accounts.all.values()][0];
    world.accounts.findByExternal = async () => account;
    const { adminPassword: _stored, ...basicConfig } = CONNECTION;
    const strategyConfig = { mapping: { phone: 'displayName' } };
    const body = {
      id,
      provider: 'EXTSRC',
      userName: 'lan',
      config: { basicConfig, strategyConfig },
    };

    const shown = await api.post(`${SOURCES}/mapping_preview`, body);

    expect(shown.body.account).toEqual({
      ...{ id: account?.id, changes: [{ field: 'phone', from: null, to: 'Lan' }] },
    });
  });

  it('says why a user becomes no account', async () => {
    const { preview } = await aPlatform();

    const refused = await preview({ mapping: { userName: 'title' } });
    const outside = await preview({ scope: { includeGroups: ['HR'] } });
    const nobody = await preview({}, { externalId: 'u-9' });

    expect(refused.body).toMatchObject({ refused: 'NO_USERNAME', user: null });
    expect(outside.body).toMatchObject({ inScope: false, departments: [] });
    expect(nobody.body).toMatchObject({ status: 404, code: 'SOURCE_USER_NOT_FOUND' });
  });

  it('names the field of a mapping that is wrong, as saving it does', async () => {
    const { preview, api } = await aPlatform();
    const mapping = { 'a/b': 'title', badge: 'x[' };
    const id = await api.aSource();

    const shown = await preview({ mapping: { badge: 'x[' } });
    const saved = await api.put(`${SOURCES}/save/config`, { id, strategyConfig: { mapping } });

    const wrong = { status: 400, code: 'MAPPING_INVALID' };
    expect(shown.body).toMatchObject({
      ...{ ...wrong, errors: [{ pointer: '/strategyConfig/mapping/badge' }] },
    });
    expect(saved.body).toMatchObject({
      ...{ ...wrong, errors: [{ pointer: '/strategyConfig/mapping/a~1b' }] },
    });
  });

  it('names the user by one of both, and tells of a source that cannot be read', async () => {
    const { world, preview } = await aPlatform();
    const both = await preview({}, { externalId: 'u-1', userName: 'lan' });
    world.directory.beforeAnswer = () => {
      throw new SourceError('LOGIN_FAILED', 'The source refuses the admin account');
    };

    const failed = await preview();

    expect(both.body).toMatchObject({ status: 400, errors: [{ pointer: '/userName' }] });
    expect(failed.body).toMatchObject({ status: 422, code: 'SOURCE_UNREADABLE' });
  });
});
