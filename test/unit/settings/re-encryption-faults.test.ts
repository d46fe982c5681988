import { afterEach, describe, expect, it } from 'vitest';
import { aReEncryptionWorld } from '../../helpers/re-encryption/a-world.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';

type World = ReturnType<typeof aReEncryptionWorld>;
type Environment = Pick<World, 'settings' | 'entities'>;

const personEntity = {
  code: 'person',
  name: 'Person',
  apiPath: 'persons',
  uiSchemaJson: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      pin: { type: 'string', 'x-encrypted': true },
    },
  },
};
const globals = globalThis as { SVC_FAULTS?: boolean; svcFault?: (point: string) => void };

afterEach(() => {
  delete globals.SVC_FAULTS;
  delete globals.svcFault;
});

async function aWorld(settings = 12, records = 12): Promise<World> {
  const world = aReEncryptionWorld();
  await world.saveKey(1);
  const post = world.entities.call;
  await post({ method: 'POST', path: '/api/v1/entity-definitions', body: personEntity });
  for (let i = 0; i < settings; i += 1) await world.save(world.settings, `s${i}`, `v${i}`, true);
  for (let i = 0; i < records; i += 1) {
    const body = { name: `n${i}`, pin: `${i}` };
    await post({ method: 'POST', path: '/api/v1/dynamic/person', body });
  }
  return world;
}

/** Every text decrypts in an environment that has seen nothing. */
async function unreadable({ texts, freshService }: World): Promise<string[]> {
  const service = freshService();
  const found = await Promise.all(
    texts().map((text) =>
      service.decrypt(text).then(
        () => undefined,
        () => text,
      ),
    ),
  );
  return found.filter((text) => text !== undefined);
}

/** One random write, whatever becomes of it. */
async function write({ settings, entities }: Environment, random: () => number) {
  const pick = (max: number) => Math.floor(random() * max);
  const name = `s${pick(14)}`;
  const path = `/api/v1/setting/${name}`;
  const listed = await entities.call({ method: 'GET', path: '/api/v1/dynamic/person' });
  const records = (listed.body.content ?? []) as readonly { readonly id: string }[];
  const record = `/api/v1/dynamic/person/${records[pick(records.length)]?.id}`;
  const actions = [
    () =>
      settings.call({
        method: 'POST',
        path: '/api/v1/setting/save',
        body: { name, value: `w${random()}`, encrypt: true },
      }),
    () =>
      settings.call({
        method: 'POST',
        path: '/api/v1/setting/save',
        body: { name, value: '******', desc: `${random()}` },
      }),
    () =>
      settings.call({ method: 'POST', path: `${path}/rollback`, body: { version: 1 + pick(3) } }),
    () => settings.call({ method: 'DELETE', path }),
    () =>
      entities.call({
        method: 'POST',
        path: '/api/v1/dynamic/person',
        body: { name: 'w', pin: `${random()}` },
      }),
    () =>
      entities.call({
        method: 'PATCH',
        path: record,
        body: { name: `w${random()}` },
        headers: { 'content-type': 'application/merge-patch+json' },
      }),
    () => entities.call({ method: 'DELETE', path: record }),
    () => entities.call({ method: 'POST', path: `${record}/restore` }),
  ];
  await actions[pick(actions.length)]?.().catch(() => undefined);
}

describe('a re-encryption while others write', () => {
  it.each([1, 2, 3])(
    'leaves texts of newest keys only, all readable, and no former key (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const world = await aWorld();
      const stale = world.besides();
      await write(stale, random);
      await world.saveKey(2);
      const formerKids = world.kids();
      const id = await world.start();

      const job = await world.finish(id, async (turn) => {
        // Writers with a former key end their work well before they must; the others go on.
        const environment = turn < 4 && random() < 0.5 ? stale : world;
        for (let i = 0; i < 3; i += 1) await write(environment, random);
        expect(await unreadable(world)).toEqual([]);
      });

      expect(job).toMatchObject({ state: 'DONE', unreadable: 0, keysRemoved: 1, keysKept: 0 });
      expect([...world.kids()].filter((kid) => formerKids.has(kid))).toEqual([]);
      expect(world.ring()).toEqual([]);
      expect(await unreadable(world)).toEqual([]);
    },
    60_000,
  );

  it('keeps a key that is replaced while it runs, and removes it in the next run', async () => {
    const world = await aWorld(3, 3);
    await world.saveKey(2);
    const id = await world.start();

    const first = await world.finish(id, async (turn) => {
      if (turn === 2) await world.saveKey(3);
    });
    const between = await unreadable(world);
    const second = await world.finish(await world.start());

    expect([first.keysRemoved, second.keysRemoved]).toEqual([1, 1]);
    expect([between, await unreadable(world), world.ring()]).toEqual([[], [], []]);
    expect(world.kids().size).toBe(1);
  });

  it('removes no key that is saved again while it runs', async () => {
    const world = await aWorld(3, 3);
    await world.saveKey(2);
    const id = await world.start();

    await world.finish(id, async (turn) => {
      if (turn === 2) await world.saveKey(1);
      if (turn === 3) await world.save(world.settings, 'again', 'x', true);
      if (turn === 4) await world.saveKey(3);
    });

    expect(await unreadable(world)).toEqual([]);
    await world.finish(await world.start());
    expect([await unreadable(world), world.ring(), world.kids().size]).toEqual([[], [], 1]);
  });
});

describe('a re-encryption that is killed', () => {
  it.each([
    'settings.after-round',
    'settings.after-part',
    'settings.after-step',
    'settings.after-clean',
    'entities.after-seal',
    'entities.after-step',
  ])('goes on after a kill at %s', async (point) => {
    const world = await aWorld(4, 4);
    await world.saveKey(2);
    let left = 2;
    globals.SVC_FAULTS = true;
    globals.svcFault = (reached) => {
      if (reached !== point || left === 0) return;
      left -= 1;
      throw new Error(`killed at ${point}`);
    };

    const job = await world.finish(await world.start());

    expect(left).toBe(0);
    expect(job).toMatchObject({ state: 'DONE', unreadable: 0, keysKept: 0 });
    expect([await unreadable(world), world.ring(), world.kids().size]).toEqual([[], [], 1]);
  });

  it.each([1, 2, 3])(
    'goes on whatever request of the table fails (seed %i)',
    async (seed) => {
      const world = await aWorld(4, 4);
      await world.saveKey(2);
      const id = await world.start();
      world.context.db.failAtRandom({
        share: 0.05,
        seed,
        faults: ['throttling', 'conflict', 'network', 'answer-lost', 'internal'],
      });

      const job = await world.finish(id, async (turn) => {
        if (turn === 60) world.context.db.stopFailing();
      });

      world.context.db.stopFailing();
      expect(job).toMatchObject({ state: 'DONE', unreadable: 0 });
      expect([await unreadable(world), world.ring(), world.kids().size]).toEqual([[], [], 1]);
    },
    60_000,
  );
});

describe('a re-encryption while the secret of the key cannot be read', () => {
  it('is gone on with all the same', async () => {
    let isDown = false;
    const readSecret = Object.assign(async () => `hex:${'5'.repeat(64)}`, {
      async versionOf() {
        if (isDown) throw new Error('no answer');
        return 'v1';
      },
    });
    const world = aReEncryptionWorld({ readSecret });
    await world.save(world.settings, 'security.aes_secret', 'secretsmanager:svc-cloud/aes');
    await world.save(world.settings, 's1', 'v1', true);
    const id = await world.start();
    isDown = true;
    for (let i = 0; i < 40; i += 1) await world.turn();

    const { body } = await world.job(id);

    expect(body).toMatchObject({ state: 'DONE' });
  });
});
