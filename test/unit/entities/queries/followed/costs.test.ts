import { beforeAll, describe, expect, it } from 'vitest';
import {
  FOLLOWED,
  type FollowedKind,
  followToEnd,
} from '../../../../helpers/entity-costs/followed.ts';
import { aWorld, type World } from '../../../../helpers/entity-costs/world.ts';

const LARGE = 20_000;

/** Most that following a list may cost in pages of 50, as a multiple of reading its records once. */
const CAPS: Readonly<Record<string, number>> = {
  'an equality, newest first: 1 in 5': 1.05,
  'an index over filter and order: 1 in 5': 1.06,
  'two equalities, newest first: 1 in 15': 1.35,
  'three equalities, newest first: 1 in 30': 2.05,
  'a range, newest first: 1 in 10': 1.1,
  '`q`, newest first: 1 in 10': 1.1,
  'an equality, sorted: 1 in 2': 1.15,
  'an equality, sorted: 1 in 3': 1.3,
  'an equality, sorted: 1 in 5': 1.3,
  'an equality, sorted: 1 in 63': 2.4,
  'an equality, sorted: 1 in 200': 2.1,
  'a range, sorted by another field: 1 in 2': 1.3,
  'a range, sorted by another field: 1 in 10': 1.5,
  '`q`, sorted: 1 in 10': 1.45,
  'two equalities, sorted: 1 in 15': 1.75,
  'three equalities, sorted: 1 in 30': 2.5,
  'an equality and two ranges, sorted: 1 in 20': 1.95,
  '`contains`, sorted: 1 in 10': 1.8,
  'an equality, sorted by two fields: 1 in 5': 1.5,
};

describe('a list that is followed to its end', () => {
  let world: World;
  beforeAll(async () => {
    world = await aWorld(LARGE);
  }, 120_000);

  it.each(FOLLOWED)('$name', { timeout: 60_000 }, async (followed: FollowedKind) => {
    const { ids, ratio } = await followToEnd(world, followed);

    expect(new Set(ids).size).toBe(ids.length);
    expect(ratio).toBeLessThanOrEqual(CAPS[followed.name] ?? 1);
  });

  it('comes to it although one request cannot read the rows of its conditions', async () => {
    const parameters = { status: 'open', priority: '1', active: 'true', sort: 'amount' };
    const inOrderOfIds = await followToEnd(world, {
      name: '',
      parameters: { ...parameters, sort: 'id' },
    });

    const { ids, pages } = await followToEnd(world, { name: '', parameters });

    expect(ids.toSorted()).toEqual(inOrderOfIds.ids.toSorted());
    expect(pages).toBeLessThanOrEqual(Math.ceil(ids.length / 50) + 2);
  }, 60_000);
});
