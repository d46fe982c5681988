import { describe, expect, it } from 'vitest';
import { LETTER } from '../editor-api.ts';
import { steps } from '../saving/dying-steps.ts';
import { letter } from '../saving/saves.ts';
import { anEditedLetter } from './edited-letter.ts';

/** A letter of three versions; the first is put from outside. */
async function aLetter() {
  const world = await anEditedLetter();
  await world.edit('second');
  await world.edit('third');
  const { document } = await world.reopen();
  const saved = () => world.events().filter(({ type }) => type === 'docs.document.saved');
  return { ...world, given: document.key, before: saved().length, saved };
}

/** Restores the second version with a function that ends at a step, and again with one that lives. */
async function restoreTwice(step: number) {
  const world = await aLetter();
  const watched = steps(world);
  watched.endAfter(step);
  const broken = await world.restore(2);
  const isOver = watched.count() <= step;
  watched.restart();
  const between = await world.listed();
  // Where the storage cannot check and write in one step, the place of the one that ended is kept for a while.
  world.context.machineClock.advance(40_000);
  const again = await world.restore(2);
  return { world, broken, between, again, isOver };
}

describe('a function that ends in the middle of a restoration', () => {
  it('has done it whole or not at all: no version is lost, and the next try restores it', async () => {
    let step = 0;
    for (let isOver = false; !isOver; step += 1) {
      const found = await restoreTwice(step);
      const { world, broken, between, again } = found;
      isOver = found.isOver;
      const at = `step ${step}`;
      expect([200, 500], at).toContain(broken.status);
      expect(again.status, at).toBe(200);
      expect(between.slice(0, 3), at).toMatchObject([
        { version: 1 },
        { version: 2 },
        { version: 3 },
      ]);
      expect(Buffer.from(world.stored() ?? ''), at).toEqual(letter('second'));
      expect([...world.storage.files.keys()], at).toEqual([LETTER]);
      expect((await world.reopen()).document.key, at).not.toBe(world.given);
      const told = world.saved().slice(world.before);
      expect(told, at).toMatchObject(told.map(() => ({ restoredFrom: 2, conflict: false })));
      expect(told.length, at).toBeGreaterThan(0);
    }
    expect(step).toBeGreaterThan(5);
  });
});
