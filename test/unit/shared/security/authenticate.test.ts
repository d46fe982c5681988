import type { JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { isPermitted } from '../../../../shared/ports/permissions.ts';
import { bearerAuthentication, toPrincipal } from '../../../../shared/security/authenticate.ts';
import { anonymous } from '../../../../shared/security/principal.ts';
import { loadConfig } from '../../../helpers/world/svc-config.ts';

const securityOf = (svc: object = {}) => loadConfig({ security: svc }).security;
const principalOf = (claims: JWTPayload, svc: object = {}) =>
  toPrincipal({ sub: 'mai', ...claims }, securityOf(svc));

describe('bearerAuthentication', () => {
  const authenticate = bearerAuthentication(
    async (token) => ({ sub: `owner of ${token}` }),
    securityOf(),
  );

  it.each([undefined, ''])('takes %s for nobody', async (authorization) => {
    expect(await authenticate({ authorization })).toBe(anonymous);
  });

  it.each(['Bearer abc', 'bearer abc', 'BEARER   abc', 'Bearer abc '])(
    'reads %s',
    async (authorization) => {
      expect(await authenticate({ authorization })).toMatchObject({
        id: 'owner of abc',
        authenticated: true,
      });
    },
  );

  it.each(['Basic abc', 'Bearer', 'Bearer ', 'Bearer a b', 'abc', 'Bearerabc'])(
    'refuses %s',
    async (authorization) => {
      await expect(authenticate({ authorization })).rejects.toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer error="invalid_request"' },
      });
    },
  );
});

describe('toPrincipal', () => {
  it.each([
    ['a list', {}, { roles: ['a', 'b'] }, ['a', 'b']],
    ['words', {}, { roles: 'a b' }, ['a', 'b']],
    [
      'a dotted path',
      { 'roles-claim': 'realm_access.roles' },
      { realm_access: { roles: ['a'] } },
      ['a'],
    ],
    [
      'a name with a colon',
      { 'roles-claim': 'cognito:groups' },
      { 'cognito:groups': ['a'] },
      ['a'],
    ],
    [
      'a name with dots, as an address',
      { 'roles-claim': 'https://x.example.com/roles' },
      { 'https://x.example.com/roles': ['a'] },
      ['a'],
    ],
    ['no claim', {}, {}, []],
    ['a number', {}, { roles: 7 }, []],
    ['a list with other members', {}, { roles: ['a', 1, null, ['b'], ''] }, ['a']],
    ['a path that ends early', { 'roles-claim': 'a.b.c' }, { a: { b: 'x' } }, []],
    ['a member of every object', { 'roles-claim': 'constructor.name' }, {}, []],
  ])('reads roles from %s', (_what, svc, claims, roles) => {
    expect(principalOf(claims, svc).roles).toEqual(roles);
  });

  it.each([
    ['a list', {}, { groups: ['sales', 'Kế toán'] }, ['sales', 'Kế toán']],
    [
      'a claim of another name',
      { 'groups-claim': 'cognito:groups' },
      { 'cognito:groups': ['a'] },
      ['a'],
    ],
    ['no claim', {}, {}, []],
    ['a list with other members', {}, { groups: ['a', { id: 1 }] }, ['a']],
  ])('reads groups from %s', (_what, svc, claims, groups) => {
    expect(principalOf(claims, svc).groups).toEqual(groups);
  });

  it('joins permissions and the words of scope, each once', () => {
    const claims = { permissions: ['a:view', 'b:edit'], scope: 'openid a:view' };

    expect(principalOf(claims).permissions).toEqual(['a:view', 'b:edit', 'openid']);
  });

  it.each([
    [{ preferred_username: 'Mai' }, 'Mai'],
    [{}, 'mai'],
    [{ preferred_username: 7 }, 'mai'],
  ])('reads the user name from %o', (claims, username) => {
    expect(principalOf(claims).username).toBe(username);
  });

  it.each([
    [{ tenant: 'acme' }, {}, 'acme'],
    [{ org: { id: 'acme' } }, { 'tenant-claim': 'org.id' }, 'acme'],
    [{ tenant: '' }, {}, undefined],
    [{ tenant: ['acme'] }, {}, undefined],
    [{}, {}, undefined],
  ])('reads the tenant from %o', (claims, svc, tenant) => {
    expect(principalOf(claims, svc).tenant).toBe(tenant);
  });
});

describe('isPermitted', () => {
  it.each([
    [true, true],
    [false, false],
    [{ allowed: true }, true],
    [{ allowed: false }, false],
    [{}, false],
    ['true', false],
    [1, false],
    [undefined, false],
  ])('takes the answer %o for %s', async (answer, expected) => {
    const evaluator = { hasPermission: () => answer as boolean };

    expect(await isPermitted(evaluator, anonymous, 'setting', 'view')).toBe(expected);
  });

  it('says no without an evaluator', async () => {
    expect(await isPermitted(undefined, anonymous, 'setting', 'view')).toBe(false);
  });

  it('passes on what the evaluator throws', async () => {
    const evaluator = { hasPermission: () => Promise.reject(new Error('policy store is down')) };

    await expect(isPermitted(evaluator, anonymous, 'a', 'view')).rejects.toThrow('policy store');
  });
});
