import { describe, expect, it } from 'vitest';
import { LETTER } from '../editor-api.ts';
import { steps } from '../saving/dying-steps.ts';
import { letter } from '../saving/saves.ts';
import { anEditedLetter } from './edited-letter.ts';

const user = { id: 'demo', name: 'demo' };

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
      // Whatever came to be, somebody has restored it: nothing is taken for the work of others.
      for (const listed of [between.slice(3), (await world.listed()).slice(3)]) {
        expect(listed, at).toEqual(listed.map(() => expect.objectContaining({ user })));
      }
      const told = world.saved().slice(world.before);
      expect(told, at).toMatchObject(told.map(() => ({ restoredFrom: 2, conflict: false })));
      expect(told.length, at).toBeGreaterThan(0);
    }
    expect(step).toBeGreaterThan(5);
  });
});

/** What comes behind a restoration that has ended at a step. */
const NEXT: Readonly<Record<string, (world: Interrupted) => Promise<void>>> = {
  async opened({ world, isWritten, at }) {
    const { document } = await world.reopen();
    expect(document.key === world.given, at).toBe(!isWritten);
  },
  async saved({ world, isWritten, config, at }) {
    expect((await world.save(2, {}, { config })).status, at).toBe(200);
    expect(world.conflicts().length, at).toBe(Number(isWritten));
  },
  async restored({ world, at }) {
    world.context.machineClock.advance(40_000);
    expect((await world.restore(1)).status, at).toBe(200);
  },
};

type Interrupted = Awaited<ReturnType<typeof interruptedAt>>;

/** A letter whose second version was restored by a function that ended at a step. */
async function interruptedAt(step: number) {
  const world = await aLetter();
  const config = await world.reopen();
  const watched = steps(world);
  watched.endAfter(step);
  await world.restore(2);
  const isOver = watched.count() <= step;
  watched.restart();
  const isWritten = Buffer.from(world.stored() ?? '').equals(letter('second'));
  const isBegun = JSON.stringify(world.context.db.items()).includes('"restored"');
  return { world, config, isOver, isBegun, isWritten, at: `step ${step}` };
}

describe('a restoration that has ended behind its write', () => {
  it.each(Object.keys(NEXT))('has its account kept when the document is %s next', async (next) => {
    for (let step = 0; ; step += 1) {
      const interrupted = await interruptedAt(step);
      const { world, isOver, isWritten, at } = interrupted;

      await NEXT[next]?.(interrupted);

      const told = world.saved().slice(world.before);
      const restored = told.filter((event) => 'restoredFrom' in event && event.restoredFrom === 2);
      expect(restored.length, at).toBe(Number(isWritten));
      const fourth = (await world.listed())[3];
      if (isWritten) expect(fourth, at).toMatchObject({ user });
      const keys = world.context.db.items().filter(({ pk }) => pk === `DOCKEY#${LETTER}`);
      expect(JSON.stringify(keys).includes('"restored"') && isWritten, at).toBe(false);
      if (isOver) return;
    }
  });
});

describe('a file that was never opened', () => {
  it('is restored, and its account is kept when the function ends', async () => {
    for (let step = 0; ; step += 1) {
      const world = await aLetter();
      await world.context.unitOfWork(async (unit) => {
        unit.delete({ pk: `DOCKEY#${LETTER}`, sk: 'KEY' });
      });
      const query = `?fileId=${encodeURIComponent(LETTER)}`;
      const restore = () =>
        world.call({
          ...{ method: 'POST', path: `/api/v1/docs/documents/doc-1/versions/2:restore${query}` },
        });
      const watched = steps(world);
      watched.endAfter(step);
      await restore();
      const isOver = watched.count() <= step;
      watched.restart();
      world.context.machineClock.advance(40_000);

      const { status } = await restore();

      const at = `step ${step}`;
      expect(status, at).toBe(200);
      const { body } = await world.get(`/api/v1/docs/documents/doc-1/versions${query}`);
      expect(body.history, at).toMatchObject([{}, {}, {}, { user }]);
      expect((await world.reopen()).document.key, at).toMatch(/^[\w-]{43}$/);
      if (isOver) return;
    }
  });
});

/** Steps at which a restoration has begun, and has not written. */
async function stepsBeforeWrite(): Promise<readonly number[]> {
  const found: number[] = [];
  for (let step = 0; ; step += 1) {
    const { isBegun, isWritten, isOver } = await interruptedAt(step);
    if (isBegun && !isWritten) found.push(step);
    if (isOver) return found;
  }
}

/** A letter that somebody edits after a restoration has ended at a step, and whose next save ends at another one. */
async function savedAlike(restoring: number, saving: number) {
  const { world } = await interruptedAt(restoring);
  world.context.machineClock.advance(40_000);
  const { document } = await world.reopen();
  const watched = steps(world);
  watched.endAfter(saving);
  await world.edit('second', 6);
  const isOver = watched.count() <= saving;
  watched.restart();
  return { world, given: document.key, isOver };
}

describe('a restoration that has ended before its write', () => {
  it('is not made of a save with the same content that ends behind its write', async () => {
    const begun = await stepsBeforeWrite();
    expect(begun).not.toEqual([]);
    for (const restoring of begun) {
      // The first two open the document.
      for (let saving = 2, isOver = false; !isOver; saving += 1) {
        const found = await savedAlike(restoring, saving);
        isOver = found.isOver;

        const { document } = await found.world.reopen();

        const at = `step ${restoring}, ${saving}`;
        expect(document.key, at).toBe(found.given);
        expect(JSON.stringify(found.world.saved()), at).not.toContain('restoredFrom');
      }
    }
  });
});
