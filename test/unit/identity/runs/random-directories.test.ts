import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_STRATEGY } from '../../../../functions/identity/domain/sources/source.ts';
import { aSource, type SyncWorld, syncWorld } from '../../../helpers/identity/sync-world.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';

interface Person {
  readonly active: boolean;
  readonly nickName: string | undefined;
  readonly group: string | undefined;
}
type Directory = Readonly<Record<string, Person>>;

const directories = fc.dictionary(
  fc.integer({ min: 0, max: 30 }).map((number) => `u-${number}`),
  fc.record({
    active: fc.boolean(),
    nickName: fc.constantFrom('A', 'B', undefined),
    group: fc.constantFrom('g-1', 'g-2', 'g-3', undefined),
  }),
  { minKeys: 1, maxKeys: 20 },
);

function fill({ directory }: SyncWorld, people: Directory): void {
  directory.users.clear();
  directory.groups.clear();
  for (const [id, { group, ...values }] of Object.entries(people)) {
    const groups = group === undefined ? [] : [{ value: group }];
    directory.users.set(id, { id, userName: `name-${id}`, groups, ...values });
  }
  for (const id of ['g-1', 'g-2', 'g-3']) {
    const members = id === 'g-1' ? [{ value: 'g-2', type: 'Group' }] : [];
    directory.groups.set(id, { id, displayName: `Group ${id}`, members });
  }
}

/** Who may log in, with nick name and department, as the directory says. */
const expected = (people: Directory) =>
  Object.entries(people)
    .filter(([, { active }]) => active)
    .map(([id, { nickName = '', group = 'the root' }]) => [`name-${id}`, nickName, group].join(' '))
    .sort();

function actual({ accounts, departments }: SyncWorld) {
  return [...accounts.all.values()]
    .filter(({ status }) => status === 'ENABLED')
    .map(({ userName, nickName = '', orgIds: [orgId = ''] }) =>
      [userName, nickName, departments.all.get(orgId)?.externalId ?? 'the root'].join(' '),
    )
    .sort();
}

describe('random directories', () => {
  it('are followed from any state to any other, and nothing is left to do then', async () => {
    const guard = { maxDeletePercent: 100, maxDeleteCount: 1_000 };
    const source = aSource({
      strategyConfig: {
        ...DEFAULT_STRATEGY,
        ...{ guard, user: { ...DEFAULT_STRATEGY.user, enabled: true } },
      },
    });
    await fc.assert(
      fc.asyncProperty(fc.array(directories, { minLength: 1, maxLength: 3 }), async (states) => {
        const world = await syncWorld(source);
        for (const people of states) {
          fill(world, people);
          expect((await world.byHand()).user).toMatchObject({ status: 'SUCCESS' });
          expect(actual(world)).toEqual(expected(people));
          const { writes } = world.accounts;
          const again = await world.byHand();
          expect(again.user.counts.unchanged).toBe(Object.keys(people).length);
          expect(world.accounts.writes).toBe(writes);
        }
      }),
      { numRuns: propertyRuns(8) },
    );
  });
});
