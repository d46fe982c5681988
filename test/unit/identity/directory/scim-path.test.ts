import { describe, expect, it } from 'vitest';
import {
  compilePath,
  ScimPathError,
} from '../../../../functions/identity/domain/directory/scim-path.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const user = {
  userName: 'ann',
  name: { formatted: 'Ann Lee' },
  emails: [
    { value: 'home@example.com', type: 'home' },
    { value: 'work@example.com', type: 'work', primary: true },
  ],
  phoneNumbers: [{ value: '1', type: 'mobile' }, { value: '2' }],
  [ENTERPRISE]: { employeeNumber: 'E-7', manager: { displayName: 'Bob' } },
  'urn:example:User': { badge: 12 },
};
const read = (path: string): unknown => compilePath(path)(user);

describe('a path', () => {
  it.each([
    ['userName', 'ann'],
    ['USERNAME', 'ann'],
    ['name.formatted', 'Ann Lee'],
    ['emails.value', 'work@example.com'],
    ['emails[type eq "home"].value', 'home@example.com'],
    ['emails[primary eq true].value', 'work@example.com'],
    ['emails[type eq "work" and primary eq true].value', 'work@example.com'],
    ['emails[type eq "other"].value', undefined],
    ['phoneNumbers.value', '1'],
    [`${ENTERPRISE}:employeeNumber`, 'E-7'],
    [`${ENTERPRISE}:manager.displayName`, 'Bob'],
    [`${ENTERPRISE.toLowerCase()}:employeenumber`, 'E-7'],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName', 'ann'],
    ['urn:example:User:badge', 12],
    ['urn:example:Other:badge', undefined],
    ['nickName', undefined],
    ['userName.value', undefined],
    ['__proto__', undefined],
  ])('%s reads %s', (path, expected) => {
    if (path === '__proto__') expect(() => read(path)).toThrow(ScimPathError);
    else expect(read(path)).toBe(expected);
  });

  it.each([
    '',
    '.',
    'a..b',
    'a.',
    'emails[',
    'emails[type eq work]',
    'emails[type gt "a"].value',
    'a b',
    'a.b.c.d',
    'urn:x',
  ])('%s is refused', (path) => {
    expect(() => compilePath(path)).toThrow(ScimPathError);
  });
});
