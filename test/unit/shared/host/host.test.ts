import { describe, expect, it } from 'vitest';
import {
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from '../../../../shared/host/claims-policies.ts';
import defaultHost from '../../../../shared/host/default-host.ts';
import { defineHost, type Host } from '../../../../shared/host/host.ts';
import type { TaskFacts, TaskOperation } from '../../../../shared/ports/workflow.ts';
import { principalOf } from '../../../helpers/api/principals.ts';
import type { TestClaims } from '../../../helpers/api/test-tokens.ts';

describe('defineHost', () => {
  it('gives back the host', () => {
    const host: Host = { permissionEvaluator: claimsPermissionEvaluator, listeners: [] };

    expect(defineHost(host)).toBe(host);
  });

  it.each([
    ['an unknown field', { permisionEvaluator: {} }, 'permisionEvaluator'],
    ['a value that is no function', { authenticate: 'jwt' }, 'authenticate'],
    ['a value that is no list', { settingValidators: {} }, 'settingValidators'],
    [
      'a listener without a group',
      { listeners: [{ topic: 'a', handle: () => undefined }] },
      'listeners.0.group',
    ],
    [
      'a listener that does nothing',
      { listeners: [{ topic: 'a', group: 'b' }] },
      'listeners.0.handle',
    ],
  ])('refuses %s and names it', (_what, host, name) => {
    expect(() => defineHost(host as unknown as Host)).toThrow(name);
  });

  it.each([null, undefined, 'host', 7])('refuses %s', (host) => {
    expect(() => defineHost(host as unknown as Host)).toThrow('The host is not valid');
  });
});

describe('the default host', () => {
  it('has no policy, so that everything protected is refused', () => {
    expect(defaultHost).toEqual({});
  });
});

describe('claimsPermissionEvaluator', () => {
  it.each([
    [{ roles: ['admin'] }, true],
    [{ permissions: ['setting:view'] }, true],
    [{ permissions: ['setting:*'] }, true],
    [{ permissions: ['setting:edit'] }, false],
    [{ permissions: ['*'] }, false],
    [{ permissions: ['settings:view'] }, false],
    [{ roles: ['administrator'] }, false],
    [{}, false],
  ] satisfies [TestClaims, boolean][])('decides setting:view for %o: %s', (claims, expected) => {
    expect(claimsPermissionEvaluator.hasPermission(principalOf(claims), 'setting', 'view')).toBe(
      expected,
    );
  });
});

describe('claimsTaskAuthorization', () => {
  const allowed = (operation: TaskOperation, claims: TestClaims, more: Partial<TaskFacts> = {}) => {
    const task: TaskFacts = {
      taskId: 'task-1',
      taskDefinitionKey: 'approve',
      status: 'CREATED',
      candidateUsers: ['lan'],
      candidateGroups: ['sales'],
      ...more,
    };
    return claimsTaskAuthorization.isAllowed(operation, task, principalOf(claims));
  };

  it.each([
    ['an administrator', { sub: 'x', roles: ['admin'] }, {}, true],
    ['the assignee', { sub: 'mai' }, { assignee: 'mai' }, true],
    ['the owner', { sub: 'mai' }, { owner: 'mai', assignee: 'lan' }, true],
    ['a candidate of an open task', { sub: 'lan' }, {}, true],
    ['a role that is a candidate group of an open task', { sub: 'x', roles: ['sales'] }, {}, true],
    ['a candidate group of an open task', { sub: 'x', groups: ['hr', 'sales'] }, {}, true],
    [
      'a group of a task that somebody has',
      { sub: 'x', groups: ['sales'] },
      { assignee: 'mai' },
      false,
    ],
    ['a candidate of a task that somebody has', { sub: 'lan' }, { assignee: 'mai' }, false],
    ['anybody else', { sub: 'x', roles: ['clerk'] }, {}, false],
  ] satisfies [string, TestClaims, Partial<TaskFacts>, boolean][])(
    'lets %s complete',
    (_who, claims, more, expected) => {
      expect(allowed('complete', claims, more)).toBe(expected);
    },
  );

  it.each(['assign', 'update'] as const)('lets only an administrator %s', (operation) => {
    expect(allowed(operation, { sub: 'mai' }, { assignee: 'mai' })).toBe(false);
    expect(allowed(operation, { sub: 'x', roles: ['admin'] })).toBe(true);
  });
});
