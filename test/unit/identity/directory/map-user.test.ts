import { describe, expect, it } from 'vitest';
import { isRefused } from '../../../../functions/identity/domain/directory/directory.ts';
import {
  compileMapping,
  type Memberships,
} from '../../../../functions/identity/domain/directory/map-user.ts';
import { ScimPathError } from '../../../../functions/identity/domain/directory/scim-path.ts';

const memberships = (of: Readonly<Record<string, readonly string[]>> = {}): Memberships => ({
  has: (id) => id !== 'hidden',
  of: (userId) => of[userId] ?? [],
  nameOf: (id) => ({ g1: 'Admins' })[id],
});
const map = (resource: Record<string, unknown>, mapping = {}, roles = {}, of = {}) => {
  const user = compileMapping(mapping, roles)(resource, memberships(of));
  if (isRefused(user)) throw new Error(user.refused);
  return user;
};
const ann = { id: '1', userName: ' ann ', externalId: 'x-1', active: true };

describe('mapping a user', () => {
  it('takes the usual attributes', () => {
    const { hash, ...user } = map({
      ...ann,
      emails: [{ value: 'Ann@Example.com', primary: true }],
      phoneNumbers: [{ value: '+49 1' }],
      name: { givenName: 'Ann', familyName: 'Lee' },
      nickName: 'A',
    });
    expect(user).toEqual({
      externalId: '1',
      sourceExternalId: 'x-1',
      userName: 'ann',
      email: 'ann@example.com',
      phone: '+49 1',
      fullName: 'Ann Lee',
      givenName: 'Ann',
      familyName: 'Lee',
      nickName: 'A',
      active: true,
      groups: [],
      roles: [],
    });
    expect(hash).toHaveLength(24);
  });

  it('prefers the display name, then the formatted name', () => {
    expect(map({ ...ann, displayName: 'D', name: { formatted: 'F' } }).fullName).toBe('D');
    expect(map({ ...ann, name: { formatted: 'F', givenName: 'G' } }).fullName).toBe('F');
  });

  it('follows the mapping, and keeps further fields as attributes', () => {
    const user = map(
      { ...ann, displayName: 'D', 'urn:example:User': { badge: 7 } },
      { fullName: 'userName', badge: 'urn:example:User:badge', room: 'nickName' },
    );
    expect(user.fullName).toBe('ann');
    expect(user.attributes).toEqual({ badge: '7' });
  });

  it('takes groups of the user, or else those that name it', () => {
    const groups = [
      { value: 'g2' },
      { value: 'g1', type: 'direct' },
      { value: 'g3', type: 'indirect' },
    ];
    expect(map({ ...ann, groups }, {}, {}, { 1: ['g9'] }).groups).toEqual(['g1', 'g2']);
    expect(map(ann, {}, {}, { 1: ['g9', 'g2', 'hidden'] }).groups).toEqual(['g2', 'g9']);
  });

  it('gives roles by id or name of a group, also of one that is no department', () => {
    const roles = { Admins: ['admin', 'author'], hidden: ['auditor'], g8: ['other'] };
    const groups = [{ value: 'g1' }, { value: 'hidden' }];
    expect(map({ ...ann, groups }, {}, roles).roles).toEqual(['admin', 'auditor', 'author']);
  });

  it('has a fingerprint of the values, groups, roles and mapping', () => {
    const { hash } = map(ann);
    expect(map({ ...ann, meta: { lastModified: 'x' }, title: 'not mapped' }).hash).toBe(hash);
    const others = [
      map({ ...ann, userName: 'bob' }),
      map({ ...ann, active: false }),
      map({ ...ann, externalId: 'y' }),
      map({ ...ann, groups: [{ value: 'g1' }] }),
      map(ann, { fullName: 'userName' }),
      map(ann, {}, { g1: ['admin'] }),
    ];
    expect(new Set([hash, ...others.map((other) => other.hash)])).toHaveProperty('size', 7);
  });

  it('refuses users without a name, and values that no account may have', () => {
    const refused = (resource: Record<string, unknown>) =>
      compileMapping()(resource, memberships());
    expect(refused({ id: '1' })).toEqual({ externalId: '1', refused: 'NO_USERNAME' });
    expect(refused({ id: '1', userName: {} })).toMatchObject({ refused: 'NO_USERNAME' });
    expect(refused({ id: '1', userName: 'a\u0000b' })).toMatchObject({ refused: 'INVALID_DATA' });
    expect(refused({ ...ann, displayName: 'x'.repeat(256) })).toMatchObject({
      refused: 'INVALID_DATA',
      userName: 'ann',
    });
  });

  it('refuses a mapping that names no field or no path', () => {
    expect(() => compileMapping({ '1x': 'userName' })).toThrow(ScimPathError);
    expect(() => compileMapping({ email: 'emails[' })).toThrow(/^email must be a SCIM path/);
  });
});
