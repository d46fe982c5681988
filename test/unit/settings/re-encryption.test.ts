import { describe, expect, it } from 'vitest';
import { aReEncryptionWorld } from '../../helpers/re-encryption/a-world.ts';

const PATH = '/api/v1/setting/re-encrypt';

const secretEntity = {
  code: 'person',
  name: 'Person',
  apiPath: 'persons',
  options: { shards: 2 },
  uiSchemaJson: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      pin: { type: 'string', 'x-encrypted': true },
      notes: { type: 'string', 'x-encrypted': true },
    },
  },
};

async function aWorldWithTexts() {
  const world = aReEncryptionWorld();
  await world.saveKey(1);
  const { entities, settings, save } = world;
  await save(settings, 'crm.code', 'one', true);
  await save(settings, 'crm.code', 'two');
  await save(settings, 'gone.code', 'gone', true);
  await settings.call({ method: 'DELETE', path: '/api/v1/setting/gone.code' });
  await save(settings, 'plain', 'readable');
  await entities.call({
    method: 'POST',
    path: '/api/v1/entity-definitions',
    body: secretEntity,
  });
  for (const [name, notes] of [
    ['mai', 'short'],
    ['lan', 'x'.repeat(9_000)],
    ['deleted', 'old'],
  ]) {
    const { body, status, text } = await entities.call({
      method: 'POST',
      path: '/api/v1/dynamic/person',
      body: { name, pin: '4711', notes },
    });
    if (status !== 201) throw new Error(text);
    if (name === 'deleted') {
      const path = `/api/v1/dynamic/person/${String(body.id)}`;
      await entities.call({ method: 'DELETE', path });
    }
  }
  return world;
}

/** The key and a deleted setting as they were stored before deleted settings were listed. */
async function asBeforeTheList(
  { context }: Awaited<ReturnType<typeof aWorldWithTexts>>,
  deleted: string,
): Promise<void> {
  const current = { pk: 'setting#security.aes_secret', sk: 'current' };
  const entry = { pk: `setting#${deleted}`, sk: 'v#000000000002' };
  await context.unitOfWork(async (unit) => {
    unit.update(current, { expression: 'REMOVE deletionsListed', values: {} });
    unit.update(entry, { expression: 'REMOVE gsi1pk, gsi1sk', values: {} });
  });
}

/** A job whose message is lost, and which is taken over late. */
async function keepWaiting(
  { context }: Awaited<ReturnType<typeof aWorldWithTexts>>,
  id: string,
): Promise<void> {
  const at = context.bus.events.findIndex(({ envelope }) => JSON.stringify(envelope).includes(id));
  context.bus.events.splice(at, 1);
  await context.unitOfWork(async (unit) => {
    const values = { ':later': context.clock.now() + 86_400_000 };
    unit.update(
      { pk: `DYN_JOB#${id}`, sk: 'J' },
      { expression: 'SET job.leaseUntil = :later', values },
    );
  });
}

describe('POST /api/v1/setting/re-encrypt', () => {
  it('moves all texts of settings, histories, deleted settings and records, then empties the ring', async () => {
    const world = await aWorldWithTexts();
    await world.saveKey(2);
    const before = world.kids();

    const job = await world.finish(await world.start());

    const after = world.kids();
    expect(job).toMatchObject({ state: 'DONE', unreadable: 0, keysRemoved: 1, keysKept: 0 });
    expect([before.size, after.size]).toEqual([1, 1]);
    expect([...before].some((kid) => after.has(kid))).toBe(false);
    expect(world.ring()).toEqual([]);
    const service = world.freshService();
    for (const text of world.texts()) await expect(service.decrypt(text)).resolves.toBeDefined();
  });

  it.each(['before', 'after'])(
    'moves the texts that a change by filter keeps which runs %s it',
    async (order) => {
      const world = await aWorldWithTexts();
      const { context, entities } = world;
      const body = { filter: {}, data: { pin: '9999' } };
      const path = '/api/v1/dynamic/person/bulk:update';
      const started = await entities.call({ method: 'POST', path, body });
      const id = String(started.body.id);
      if (order === 'before') await world.turn();
      else await keepWaiting(world, id);
      await world.saveKey(2);
      const before = world.kids();

      const job = await world.finish(await world.start());
      const after = world.kids();
      for (let turn = 0; turn < 3; turn += 1) await world.turn();

      expect(job).toMatchObject({ state: 'DONE', unreadable: 0, keysRemoved: 1 });
      expect([...before].some((kid) => after.has(kid))).toBe(false);
      const location = String(started.headers.location);
      expect((await entities.call({ method: 'GET', path: location })).body).toMatchObject({
        ...{ state: 'DONE', result: { updated: 2, failed: 0 } },
      });
      const list = await entities.call({ method: 'GET', path: '/api/v1/dynamic/person' });
      const pins = (list.body.content as { pin: string }[]).map(({ pin }) => pin);
      expect(pins).toEqual(['9999', '9999']);
      const stored = context.db.items().find(({ pk }) => pk === `DYN_JOB#${id}`);
      expect(JSON.stringify(stored)).not.toContain('enc:v1');
    },
  );

  it('changes no version of settings and records, and no value', async () => {
    const world = await aWorldWithTexts();
    const read = async () => [
      (await world.settings.call({ method: 'GET', path: '/api/v1/setting/crm.code/detail' })).body,
      (await world.settings.call({ method: 'GET', path: '/api/v1/setting/crm.code/history' })).body,
      (await world.entities.call({ method: 'GET', path: '/api/v1/dynamic/person?sort=name' })).body,
    ];
    const before = await read();
    await world.saveKey(2);

    await world.finish(await world.start());

    expect(await read()).toEqual(before);
    await world.settings.call({
      method: 'POST',
      path: '/api/v1/setting/gone.code/rollback',
      body: { version: 1 },
    });
    const shown = await world.settings.call({
      method: 'GET',
      path: '/api/v1/setting/gone.code?reveal=true',
    });
    expect(shown.body.value).toBe('gone');
  });

  it('is the job that is running when it is called again, and another one afterwards', async () => {
    const world = await aWorldWithTexts();
    await world.saveKey(2);

    const first = await world.start();
    const second = await world.start();
    await world.finish(first);
    const third = await world.start();

    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(await world.finish(third)).toMatchObject({ state: 'DONE', moved: 0, keysRemoved: 0 });
  });

  it('waits until nobody writes with a former key, and then looks again', async () => {
    const world = await aWorldWithTexts();
    const { settings: stale } = world.besides();
    await world.save(stale, 'warm', 'x', true);
    await world.saveKey(2);
    const id = await world.start();
    let phases = new Set<unknown>();

    const job = await world.finish(id, async (turn) => {
      phases = phases.add((await world.job(id)).body.phase);
      if (turn === 1) await world.save(stale, 'late', 'written with the former key', true);
    });

    expect(job).toMatchObject({ state: 'DONE', round: 2, keysRemoved: 1 });
    expect([...phases]).toContain('settle');
    expect(world.kids().size).toBe(1);
  });

  it('keeps the key of a text that cannot be decrypted', async () => {
    const world = await aWorldWithTexts();
    const [text = ''] = world.texts();
    await world.save(world.settings, 'broken', `${text.slice(0, -4)}AAAA`);
    await world.saveKey(2);

    const job = await world.finish(await world.start());

    expect(job).toMatchObject({ state: 'DONE', unreadable: 2, keysRemoved: 0, keysKept: 1 });
    expect(world.ring()).toHaveLength(1);
  });

  it('keeps a key that is older than the list of deleted settings, and removes later ones', async () => {
    const world = await aWorldWithTexts();
    await asBeforeTheList(world, 'gone.code');
    await world.saveKey(2);

    const first = await world.finish(await world.start());
    await world.saveKey(3);
    const second = await world.finish(await world.start());

    expect(first).toMatchObject({ state: 'DONE', keysRemoved: 0, keysKept: 1 });
    expect(second).toMatchObject({ state: 'DONE', keysRemoved: 1, keysKept: 1 });
    const service = world.freshService();
    for (const text of world.texts()) await expect(service.decrypt(text)).resolves.toBeDefined();
    const path = '/api/v1/setting/gone.code/rollback';
    const restored = await world.settings.call({ method: 'POST', path, body: { version: 1 } });
    expect(restored.status).toBe(200);
  });

  it('keeps such a key also after its description was changed', async () => {
    const world = await aWorldWithTexts();
    await asBeforeTheList(world, 'gone.code');
    const body = { name: 'security.aes_secret', value: '******', desc: 'the key' };
    await world.settings.call({ method: 'POST', path: '/api/v1/setting/save', body });
    await world.saveKey(2);

    const job = await world.finish(await world.start());

    expect(job).toMatchObject({ state: 'DONE', keysRemoved: 0, keysKept: 1 });
  });

  it('keeps former keys when it is told to', async () => {
    const world = await aWorldWithTexts();
    await world.saveKey(2);
    const body = { keepKeys: true };
    const started = await world.settings.call({ method: 'POST', path: PATH, body });

    const job = await world.finish(String(started.body.id));

    expect(job).toMatchObject({ state: 'DONE', keysRemoved: 0, keysKept: 1 });
    expect(world.kids().size).toBe(1);
  });

  it('can be cancelled: no key goes, and everything can be read', async () => {
    const world = await aWorldWithTexts();
    await world.saveKey(2);
    const id = await world.start();
    await world.turn();

    const answer = await world.settings.call({ method: 'DELETE', path: `${PATH}/jobs/${id}` });
    const job = await world.finish(id);
    const again = await world.settings.call({ method: 'DELETE', path: `${PATH}/jobs/${id}` });

    expect([answer.status, job.state, again.body.code]).toEqual([
      202,
      'CANCELLED',
      'SETTING_JOB_ENDED',
    ]);
    expect(world.ring()).toHaveLength(1);
    expect(await world.finish(await world.start())).toMatchObject({ state: 'DONE' });
  });

  it('needs setting:edit and a key', async () => {
    const world = aReEncryptionWorld();
    const call = (permissions: string[]) =>
      world.settings.call({
        method: 'POST',
        path: PATH,
        body: {},
        caller: { sub: 'x', permissions },
      });

    expect((await call(['setting:view'])).status).toBe(403);
    expect((await call(['setting:edit'])).body.code).toBe('ENCRYPT_KEY_MISSING');
    expect((await world.job('unknown')).body.code).toBe('SETTING_JOB_NOT_FOUND');
  });
});
