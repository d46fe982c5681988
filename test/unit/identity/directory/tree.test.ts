import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DirectoryGroup } from '../../../../functions/identity/domain/directory/directory.ts';
import { readGroups } from '../../../../functions/identity/domain/directory/group.ts';
import { buildTree } from '../../../../functions/identity/domain/directory/tree.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';

const group = (externalId: string, ...groups: string[]): DirectoryGroup => ({
  externalId,
  name: `Group ${externalId}`,
  groups,
  users: [],
});
const lines = (groups: readonly DirectoryGroup[], scope?: Parameters<typeof buildTree>[1]) =>
  buildTree(groups, scope).departments.map(
    ({ externalId, parent = '-', depth }) => `${externalId}<${parent}@${depth}`,
  );

describe('the tree of departments', () => {
  it('puts parents before their children', () => {
    expect(lines([group('c'), group('b', 'c'), group('a', 'b', 'gone')])).toEqual([
      'a<-@0',
      'b<a@1',
      'c<b@2',
    ]);
  });

  it('takes the first of several parents, and says so', () => {
    const groups = [group('z', 'c'), group('b', 'c'), group('c')];
    expect(lines(groups)).toEqual(['b<-@0', 'z<-@0', 'c<b@1']);
    expect(buildTree(groups).issues).toEqual([
      { externalId: 'c', name: 'Group c', code: 'MULTIPLE_PARENTS' },
    ]);
  });

  it('hangs a circle below the root, with what is below it', () => {
    const groups = [
      group('a', 'b'),
      group('b', 'c', 'd'),
      group('c', 'a'),
      group('d'),
      group('e', 'e'),
    ];
    expect(lines(groups)).toEqual(['a<-@0', 'b<-@0', 'c<-@0', 'e<-@0', 'd<b@1']);
    expect(buildTree(groups).issues.map(({ externalId, code }) => [externalId, code])).toEqual([
      ['a', 'CYCLE'],
      ['b', 'CYCLE'],
      ['c', 'CYCLE'],
      ['e', 'CYCLE'],
    ]);
  });

  it('goes 150 levels down', () => {
    const groups = Array.from({ length: 150 }, (_, index) => group(`g${index}`, `g${index + 1}`));
    expect(buildTree(groups).departments.at(-1)).toMatchObject({ externalId: 'g149', depth: 149 });
  });

  it('keeps to the scope, by ids and names', () => {
    const groups = [group('a', 'b'), group('b', 'c'), group('c'), group('d')];
    const scope = (includeGroups: string[], excludeGroups: string[] = []) =>
      lines(groups, { includeGroups, excludeGroups });
    expect(scope(['Group b'])).toEqual(['b<-@0', 'c<b@1']);
    expect(scope([], ['b'])).toEqual(['a<-@0', 'd<-@0']);
    expect(scope(['a', 'd'], ['c'])).toEqual(['a<-@0', 'd<-@0', 'b<a@1']);
    expect(scope(['a', 'c'], ['b'])).toEqual(['a<-@0', 'c<-@0']);
  });

  it('has every group once, below one that comes before it', () => {
    const id = fc.integer({ min: 0, max: 30 }).map(String);
    const groups = fc.uniqueArray(fc.tuple(id, fc.array(id, { maxLength: 4 })), {
      selector: ([first]) => first,
      maxLength: 30,
    });
    fc.assert(
      fc.property(groups, (entries) => {
        const { departments } = buildTree(
          entries.map(([own, children]) => group(own, ...children)),
        );
        expect(departments.map(({ externalId }) => externalId).sort()).toEqual(
          entries.map(([own]) => own).sort(),
        );
        const seen = new Map<string, number>();
        for (const { externalId, parent, depth } of departments) {
          expect(depth).toBe(parent === undefined ? 0 : (seen.get(parent) ?? Number.NaN) + 1);
          seen.set(externalId, depth);
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe('reading groups', () => {
  it('knows groups among members by type, address or id', () => {
    const members = [
      { value: '1', type: 'User' },
      { value: '2', type: 'Group' },
      { value: '3', $ref: 'https://idm.example/scim/v2/Groups/3' },
      { value: 'b' },
      { value: '4' },
      { display: 'no value' },
    ];
    expect(readGroups([{ id: 'a', displayName: ' Sales ', members }, { id: 'b' }])).toEqual([
      { externalId: 'a', name: 'Sales', groups: ['2', '3', 'b'], users: ['1', '4'] },
      { externalId: 'b', name: 'b', groups: [], users: [] },
    ]);
  });
});
