import assert from 'node:assert/strict';
import type { Department, ItemResult } from '../../../shared/ports/identity.ts';
import { aUser, type ContractCase } from './contract-case.ts';

const codeOf = (result: ItemResult<unknown> | undefined): string | undefined =>
  result?.kind === 'ok' ? 'ok' : result?.code;
const idsOf = (departments: readonly Department[]): readonly string[] =>
  departments.map(({ id }) => id).toSorted();
/** Below the root `a`: `b` with `c`, and `d`. */
const TREE = [
  { id: 'a', name: 'Head office', sourceId: 's1', externalId: 'ea', hash: 'h1' },
  { id: 'b', name: 'Sales', parentId: 'a', code: 'sales' },
  { id: 'c', name: 'North', parentId: 'b' },
  { id: 'd', name: 'Finance', parentId: 'a' },
];

/** What a repository of departments promises. */
export const departmentContract: readonly ContractCase[] = [
  {
    name: 'keeps a tree, with the way from the root',
    async run({ departments }) {
      const made = await departments.createMany(TREE);
      assert.deepEqual(made.map(codeOf), ['ok', 'ok', 'ok', 'ok']);
      assert.deepEqual((await departments.get('c'))?.path, ['a', 'b', 'c']);
      assert.deepEqual(idsOf(await departments.children('a')), ['b', 'd']);
      assert.deepEqual(idsOf(await departments.children(undefined)), ['a']);
      assert.deepEqual(idsOf(await departments.ofSource('s1')), ['a']);
      assert.deepEqual((await departments.createMany(TREE)).map(codeOf), made.map(codeOf));
      assert.equal((await departments.get('a'))?.version, 1);
    },
  },
  {
    name: 'gives every department of a tenant a code of its own',
    async run({ departments }) {
      const results = await departments.createMany([
        { id: 'a', name: 'Sales', code: 'sales' },
        { id: 'b', name: 'Other', code: 'SALES' },
        { id: 'c', name: 'Sales' },
        { id: 'd', name: 'x', code: 'sales', tenant: 'other tenant' },
        { id: 'e', name: 'y', parentId: 'nowhere' },
      ]);
      assert.deepEqual(results.map(codeOf), ['ok', 'CODE_CONFLICT', 'ok', 'ok', 'PARENT_MISSING']);
      assert.notEqual((await departments.get('c'))?.code, 'sales');
    },
  },
  {
    name: 'moves a department with all below it, and never below itself',
    async run({ departments }) {
      await departments.createMany(TREE);
      assert.equal(codeOf(await departments.move('b', 'd')), 'ok');
      assert.deepEqual((await departments.get('c'))?.path, ['a', 'd', 'b', 'c']);
      assert.equal(codeOf(await departments.move('a', 'c')), 'CYCLE');
      assert.equal(codeOf(await departments.move('a', 'a')), 'CYCLE');
      assert.equal(codeOf(await departments.move('b', 'nowhere')), 'PARENT_MISSING');
      assert.equal(codeOf(await departments.move('c', undefined)), 'ok');
      assert.deepEqual((await departments.get('c'))?.path, ['c']);
    },
  },
  {
    name: 'renames with the digest of what was applied',
    async run({ departments }) {
      await departments.createMany(TREE);
      await departments.rename('a', 'Main office', { hash: 'h2' });
      const stored = await departments.get('a');
      assert.deepEqual([stored?.name, stored?.hash, stored?.version], ['Main office', 'h2', 2]);
      await departments.rename('a', 'Main office', { hash: 'h2' });
      assert.equal((await departments.get('a'))?.version, 2);
      assert.equal(codeOf(await departments.rename('x', 'y')), 'NOT_FOUND');
    },
  },
  {
    name: 'removes departments that are empty, any number of times',
    async run({ departments, users }) {
      await departments.createMany(TREE);
      await users.createMany([aUser('1', { orgIds: ['c'] })]);
      assert.equal(codeOf(await departments.remove('b')), 'NOT_EMPTY');
      assert.equal(codeOf(await departments.remove('c')), 'NOT_EMPTY');
      await users.remove('1');
      assert.equal(codeOf(await departments.remove('c')), 'ok');
      assert.equal(codeOf(await departments.remove('c')), 'ok');
      assert.equal(codeOf(await departments.remove('b')), 'ok');
      assert.deepEqual(idsOf(await departments.children('a')), ['d']);
    },
  },
  {
    name: 'changes nothing for a run that another one has replaced',
    async run({ departments, setFence }) {
      await departments.createMany(TREE);
      await setFence({ sourceId: 's1', lane: 0, value: 2 });
      const fence = { sourceId: 's1', lane: 0, value: 1 };
      const [made] = await departments.createMany([{ id: 'e', name: 'E' }], { fence });
      const others = [
        await departments.rename('a', 'x', { fence }),
        await departments.move('b', 'd', { fence }),
        await departments.remove('c', { fence }),
      ];
      assert.deepEqual([made, ...others].map(codeOf), ['FENCED', 'FENCED', 'FENCED', 'FENCED']);
    },
  },
];
