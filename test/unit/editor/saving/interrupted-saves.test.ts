import { describe, expect, it } from 'vitest';
import { LETTER } from '../editor-api.ts';
import { steps } from './dying-steps.ts';
import { anOpenDocument } from './saves.ts';

type World = Awaited<ReturnType<typeof anOpenDocument>>;

/** The memory takes the whole document, or a small part of it. */
const SIZES = [{}, { memory: { mostInMemory: 100, partBytes: 400 } }];

async function aSave(options: object) {
  const world = await anOpenDocument(options);
  const url = `${world.server.url}/cache/files/data/x/output.docx`;
  let tries = 0;
  const send = () => {
    tries += 1;
    return world.save(2, { url: `${url}?md5=${tries}` });
  };
  return { world, send };
}

/** Whether the document still opens under the key that was given out. */
const isOpenUnder = (world: World): boolean =>
  world.context.db
    .items()
    .some(
      (item) =>
        String(item.pk) === `DOCKEY#${LETTER}` && JSON.stringify(item).includes(`"${world.key}"`),
    );

/** The tries of the document server after a failure, as it makes them. */
async function tryAgain(send: () => Promise<{ readonly status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < 3 && statuses.at(-1) !== 200) statuses.push((await send()).status);
  return statuses;
}

async function stepsOfASave(options: object) {
  const { world, send } = await aSave(options);
  const watched = steps(world);
  await send();
  await world.server.close();
  return watched.count();
}

const deaths = await Promise.all(
  SIZES.map(async (options) =>
    Array.from({ length: await stepsOfASave(options) }, (_, step) => ({ ...options, step })),
  ),
);

describe('a function that ends in the middle of a save', () => {
  it('has several steps', () => {
    expect(deaths[0]?.length).toBeGreaterThan(4);
    expect(deaths[1]?.length).toBeGreaterThan(deaths[0]?.length ?? 0);
  });

  it.each(deaths.flat())(
    'at %j: the document is stored and told of once by the tries that follow',
    async ({ step, ...options }) => {
      const { world, send } = await aSave(options);
      const original = world.stored();
      const watched = steps(world);
      watched.endAfter(step);

      const broken = await send();

      watched.restart();
      const isStored = !Buffer.from(world.stored() ?? '').equals(Buffer.from(original ?? ''));
      if (!isStored) expect(isOpenUnder(world)).toBe(true);
      if (broken.status !== 200) expect((await tryAgain(send)).at(-1)).toBe(200);
      const saved = world.events().filter(({ type }) => type === 'docs.document.saved');
      expect(saved).toHaveLength(1);
      expect(saved[0]).toMatchObject({ editedFilePath: LETTER, conflict: false });
      expect(isOpenUnder(world)).toBe(false);
      expect([world.writes(), world.conflicts()]).toEqual([1, []]);
      expect(Buffer.from(world.stored() ?? '').length).toBeGreaterThan(100);
      await world.server.close();
    },
  );
});

describe('a request of a save whose answer is lost', () => {
  it('is repeated by the client: the save is stored and told of once', async () => {
    for (let lost = 0; ; lost += 1) {
      const { world, send } = await aSave({ dbAttempts: 3 });
      const { db } = world.context;
      let count = 0;
      let isLost = false;
      const offs = ['PutItem', 'TransactWriteItems'].map((operation) =>
        db.before(operation, () => {
          if (count === lost && !isLost) {
            db.failNext('answer-lost', { operation });
            isLost = true;
          }
          count += 1;
        }),
      );

      const { status } = await send();

      for (const off of offs) off();
      const at = `request ${lost}`;
      expect(status, at).toBe(200);
      expect(world.events(), at).toHaveLength(1);
      expect([world.writes(), world.conflicts()], at).toEqual([1, []]);
      await world.server.close();
      if (!isLost) return;
    }
  });
});
