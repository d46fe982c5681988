import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DirectoryUser,
  outlineOf,
  type SnapshotUser,
} from '../../../../functions/identity/domain/directory/directory.ts';
import { fingerprint } from '../../../../functions/identity/domain/directory/fingerprint.ts';
import type { UserOperation } from '../../../../functions/identity/domain/plan/operations.ts';
import {
  type LinkedUser,
  MISSING_HASH,
  UserPlan,
} from '../../../../functions/identity/domain/plan/user-plan.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';

const user = (externalId: string, more: Partial<DirectoryUser> = {}): DirectoryUser => {
  const values = {
    ...{ userName: `user-${externalId}`, active: true, groups: [], roles: [] },
    ...more,
  };
  return { externalId, ...values, hash: fingerprint([externalId, values]) };
};
const linkOf = (each: DirectoryUser, more: Partial<LinkedUser> = {}): LinkedUser => ({
  ...{ externalId: each.externalId, userId: `u-${each.externalId}`, userName: each.userName },
  ...{ hash: each.hash, active: each.active },
  ...more,
});

interface Options {
  readonly links?: readonly LinkedUser[];
  readonly isFull?: boolean;
  readonly isInScope?: (each: DirectoryUser) => boolean;
}
function planOf(users: readonly SnapshotUser[], { links = [], isFull, isInScope }: Options = {}) {
  let next = 0;
  const plan = new UserPlan({
    links,
    ...{ departmentIdOf: new Map([['g1', 'd1']]), rootId: 'root', isInScope },
    newId: () => {
      next += 1;
      return `new-${next}`;
    },
  });
  const operations = [...plan.add(users.map(outlineOf)), ...plan.missing(isFull)];
  return { operations, counts: plan.counts };
}
const kinds = ({ operations }: { readonly operations: readonly UserOperation[] }) =>
  operations.map(
    (each) =>
      `${each.kind} ${each.kind === 'create' || each.kind === 'update' ? each.user.externalId : each.externalId}`,
  );

describe('the plan of users', () => {
  it('creates who is new, in its departments or below the root', () => {
    const { operations } = planOf([user('1', { groups: ['g1', 'g9'] }), user('2')]);
    expect(operations).toMatchObject([
      { kind: 'create', id: 'new-1', departmentIds: ['d1'] },
      { kind: 'create', id: 'new-2', departmentIds: ['root'] },
    ]);
  });

  it('keeps nothing of who is unchanged', () => {
    const plan = planOf([user('1'), user('2')], { links: [linkOf(user('2')), linkOf(user('1'))] });
    expect(plan).toMatchObject({ operations: [], counts: { unchanged: 2, total: 2, linked: 2 } });
  });

  it('updates who has changed, and says when the source has changed its mind on a status', () => {
    const inactive = user('2', { active: false });
    const plan = planOf([user('1', { email: 'a@b.c' }), user('2'), user('3', { active: false })], {
      links: [linkOf(user('1')), linkOf(inactive), linkOf(user('3'))],
    });
    expect(plan.operations).toMatchObject([
      { kind: 'update', id: 'u-1', expectedHash: user('1').hash },
      { kind: 'update', id: 'u-2', status: 'ENABLE' },
      { kind: 'update', id: 'u-3', status: 'DISABLE' },
    ]);
    expect(plan.operations[0]).not.toHaveProperty('status');
    expect(plan.counts).toMatchObject({ updated: 3, disabled: 1, linked: 2 });
  });

  it('counts renamed accounts, but not another case of letters', () => {
    const links = [
      linkOf(user('1'), { userName: 'old' }),
      linkOf(user('2'), { userName: 'USER-2', hash: '' }),
    ];
    expect(planOf([user('1', { email: 'x' }), user('2')], { links }).counts.renamed).toBe(1);
  });

  it('finds who is missing once, and takes them back', () => {
    const gone = linkOf(user('1'));
    expect(planOf([], { links: [gone] }).operations).toEqual([
      { kind: 'missing', id: 'u-1', externalId: '1', userName: 'user-1' },
    ]);
    const known = { ...gone, hash: MISSING_HASH, active: false };
    expect(planOf([], { links: [known] }).operations).toEqual([]);
    expect(planOf([user('1')], { links: [known] }).operations).toMatchObject([
      { kind: 'update', status: 'ENABLE' },
    ]);
  });

  it('counts missing accounts that were inactive anyway apart', () => {
    const links = [linkOf(user('1')), linkOf(user('2', { active: false }))];
    expect(planOf([], { links }).counts).toMatchObject({ missing: 2, missingActive: 1 });
  });

  it('takes absence for nothing when not all users were read', () => {
    const links = [linkOf(user('1')), linkOf(user('2'))];
    expect(kinds(planOf([user('1', { email: 'x' })], { links, isFull: false }))).toEqual([
      'update 1',
    ]);
  });

  it('takes who has left the scope for missing, also when not all were read', () => {
    const options = {
      links: [linkOf(user('1'))],
      isInScope: ({ groups }: DirectoryUser) => groups.includes('g1'),
    };
    const moved = [user('1', { groups: ['g2'] }), user('2', { groups: ['g2'] })];
    for (const isFull of [true, false]) {
      expect(planOf(moved, { ...options, isFull }).operations).toEqual([
        { kind: 'missing', id: 'u-1', externalId: '1', userName: 'user-1', isOutOfScope: true },
      ]);
    }
  });

  it('refuses what cannot be an account, and leaves a linked one as it is', () => {
    const refused: SnapshotUser = { externalId: '1', refused: 'NO_USERNAME' };
    expect(kinds(planOf([refused], { links: [linkOf(user('1'))] }))).toEqual(['refuse 1']);
    const twice = planOf([user('1'), user('1', { email: 'other' })]);
    expect(twice.operations).toMatchObject([
      { kind: 'create' },
      { kind: 'refuse', code: 'DUPLICATE_EXTERNAL_ID' },
    ]);
  });

  it('turns any directory into any other, and has nothing to do then', () => {
    const people = fc.dictionary(
      fc.integer({ min: 0, max: 40 }).map(String),
      fc.record({ email: fc.constantFrom('a', 'b', undefined), active: fc.boolean() }),
      { maxKeys: 30 },
    );
    const usersOf = (directory: Record<string, Partial<DirectoryUser>>) =>
      Object.entries(directory).map(([id, values]) => user(id, values));
    fc.assert(
      fc.property(people, people, (before, after) => {
        const links = new Map(usersOf(before).map((each) => [each.externalId, linkOf(each)]));
        const { operations, counts } = planOf(usersOf(after), { links: [...links.values()] });
        for (const each of operations) {
          if (each.kind === 'missing') {
            expect(after).not.toHaveProperty(each.externalId);
            links.set(each.externalId, {
              ...{
                externalId: each.externalId,
                userId: each.id,
                hash: MISSING_HASH,
                active: false,
              },
            });
          } else if (each.kind !== 'refuse') {
            links.set(each.user.externalId, linkOf(each.user, { userId: each.id }));
          }
        }
        expect(planOf(usersOf(after), { links: [...links.values()] }).operations).toEqual([]);
        expect(counts.created + counts.updated + counts.unchanged).toBe(Object.keys(after).length);
        expect(counts.unchanged + counts.updated + counts.missing).toBe(Object.keys(before).length);
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});
