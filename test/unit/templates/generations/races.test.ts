import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Generation } from '../../../../functions/templates/domain/documents/generation.ts';
import { GenerationSweep } from '../../../../functions/templates/generations/generation-sweep.ts';
import { editedDocumentsPort } from '../../../../functions/templates/index.ts';
import { bindPort } from '../../../../shared/module/bind-port.ts';
import { apart } from '../../../../shared/store/unit-of-work.ts';
import { dyingAt } from '../dying-at.ts';
import { aGenerationsApi, letter, textOf } from './generations-api.ts';

const LEASE_MS = 45_000;
const data = { entityData: { ho_ten: 'An' } };
const locked = [{ name: 'ho_ten', sourceType: 'ENTITY', lockedInOutput: true }];
const hashOf = (file: Uint8Array = Buffer.alloc(0)) =>
  createHash('sha256').update(file).digest('hex');

async function aWorld() {
  const world = await aGenerationsApi({ fields: locked });
  const { put, get } = world.storage;
  return {
    ...world,
    /** Files of generations, with the values that are locked in them. */
    left: () =>
      [...world.storage.files.keys()].filter((path) => /^\w+\/(?:generations|locks)\//.test(path)),
    /** What sweeps leave once nobody writes any longer. */
    async settled() {
      for (let count = 0; count < 2; count += 1) {
        world.context.clock.advance(LEASE_MS + 1);
        await world.runTask('templates.sweep');
      }
    },
    /** Does something else, once, before or after a file is written or before it is read. */
    meanwhile(when: 'before' | 'after' | 'reading', place: RegExp, work: () => Promise<unknown>) {
      let isDone = false;
      const once = async (path: string, at: typeof when) => {
        if (isDone || at !== when || !place.test(path)) return;
        isDone = true;
        await apart(work);
      };
      world.storage.put = async (path, ...more) => {
        await once(path, 'before');
        const answer = await put(path, ...more);
        await once(path, 'after');
        return answer;
      };
      world.storage.get = async (path) => {
        await once(path, 'reading');
        return get(path);
      };
    },
  };
}

/** A document that was generated, and that an editor saves. */
async function aDocument() {
  const world = await aWorld();
  const { body } = await world.generate(data);
  const [fileId = ''] = world.outputs();
  const edits = bindPort(editedDocumentsPort, world.context).use();
  const save = (content: Uint8Array = letter('edited')) =>
    world.context.unitOfWork((unit) =>
      edits.save(unit, { fileId, content, userId: 'lan', isTerminal: true }),
    );
  return { ...world, save, id: body.generationId };
}

const OUTPUT = /^documents\/generations\//;
const FINAL = /final\.docx$/;

describe('a document that is saved in the editor meanwhile', () => {
  it('leaves nothing when it is cancelled', async () => {
    const world = await aDocument();
    world.meanwhile('before', OUTPUT, () => world.cancel(world.id));

    expect(await world.save()).toBe('conflict');

    await world.settled();
    expect(world.left()).toEqual([]);
  });

  it.each(['before', 'after'] as const)(
    'has the hash of its file when it is finalized %s the file is written',
    async (when) => {
      const world = await aDocument();
      world.meanwhile(when, OUTPUT, () => world.finalize(world.id));

      expect(await world.save()).toBe('conflict');

      await world.settled();
      const [final = '', ...others] = world.left();
      const file = world.storage.files.get(final);
      expect(others).toEqual([]);
      expect((await world.get(world.id)).body).toMatchObject({
        ...{ status: 'FINALIZED', outputHash: hashOf(file) },
      });
      expect(textOf(file)).toBe(when === 'after' ? 'edited' : 'Dear An');
    },
  );

  it('has the hash of its file after a save that has ended in the middle', async () => {
    const world = await aDocument();
    const original = world.storage.files.get(world.outputs()[0] ?? '') ?? Buffer.alloc(0);
    await dyingAt(1, world, () => world.save());

    await world.save(original);

    const [output = ''] = world.outputs();
    const { body } = await world.get(world.id);
    expect(body.outputHash).toBe(hashOf(world.storage.files.get(output)));
  });
});

describe('finalizing twice at once', () => {
  it('leaves what the first one has finalized, although an editor writes late', async () => {
    const world = await aDocument();
    const finalizeAndSave = async () => {
      world.meanwhile('before', OUTPUT, () => world.finalize(world.id));
      await world.save();
    };
    world.meanwhile('reading', OUTPUT, finalizeAndSave);

    const { status, body } = await world.finalize(world.id);

    expect([status, body.status]).toEqual([200, 'FINALIZED']);
    await world.settled();
    const [final = '', ...others] = world.left();
    expect(others).toEqual([]);
    expect(body.outputHash).toBe(hashOf(world.storage.files.get(final)));
  });
});

describe('finalizing and cancelling at once', () => {
  it.each([
    ['the file is read', 'reading', OUTPUT],
    ['the copy is written', 'before', FINAL],
    ['the copy is there', 'after', FINAL],
  ] as const)('refuses the one and leaves no file when %s', async (_, when, place) => {
    const world = await aDocument();
    world.meanwhile(when, place, () => world.cancel(world.id));

    const { status, body } = await world.finalize(world.id);

    expect([status, body.code]).toEqual([409, 'GENERATION_NOT_READY']);
    await world.settled();
    expect(world.left()).toEqual([]);
  });

  it('finalizes once when another call has, and has deleted what was copied', async () => {
    const world = await aDocument();
    world.meanwhile('reading', OUTPUT, () => world.finalize(world.id));

    const { status, body } = await world.finalize(world.id);

    expect([status, body.status]).toEqual([200, 'FINALIZED']);
    expect(world.outputs()).toEqual([expect.stringMatching(FINAL)]);
  });
});

describe('a function that dies', () => {
  it.each(['finalize', 'cancel'] as const)(
    'in %s leaves what cancel and sweep end',
    async (what) => {
      for (let writes = 0; ; writes += 1) {
        const world = await aDocument();

        if (await dyingAt(writes, world, () => world[what](world.id))) break;
        await world.cancel(world.id);
        await world.settled();

        const { body } = await world.get(world.id);
        const left = world.left();
        expect(left, `dead at write ${writes}`).toHaveLength(body.status === 'FINALIZED' ? 1 : 0);
        for (const path of left)
          expect(body.outputHash).toBe(hashOf(world.storage.files.get(path)));
      }
    },
  );

  it('while it renders leaves nothing beside what the next one finalizes', async () => {
    for (let writes = 0; ; writes += 1) {
      const world = await aWorld();
      const request = { ...data, idempotencyKey: 'k' };

      if (await dyingAt(writes, world, () => world.generate(request))) break;
      world.context.clock.advance(LEASE_MS + 1);
      const { body } = await world.generate(request);
      await world.finalize(body.generationId);
      await world.settled();

      expect(world.left(), `dead at write ${writes}`).toEqual([expect.stringMatching(FINAL)]);
    }
  });
});

describe('locked values', () => {
  const LOCKS = /^templates\/locks\//;

  it('go with a generation that is cancelled while it is rendered', async () => {
    const world = await aWorld();
    const cancel = async () => {
      const [{ generationId } = {}] = (await world.list()).body.content as {
        generationId: string;
      }[];
      await world.cancel(generationId);
    };
    world.meanwhile('before', LOCKS, cancel);

    expect((await world.generate(data)).body.code).toBe('GENERATION_CANCELLED');

    await world.settled();
    expect(world.left()).toEqual([]);
  });

  it('go with a generation that has failed', async () => {
    const world = await aWorld();
    world.meanwhile('after', LOCKS, () => Promise.reject(new Error('The disk is full')));

    expect((await world.generate(data)).status).toBe(500);

    await world.settled();
    expect(world.left()).toEqual([]);
  });
});

describe('the sweep', () => {
  it('ends all others when one cannot be ended', async () => {
    const world = await aWorld();
    for (let count = 0; count < 3; count += 1) await dyingAt(2, world, () => world.generate(data));
    const { delete: remove } = world.storage;
    const [stuck] = world.left();
    world.storage.delete = async (path) => {
      if (path === stuck) throw new Error('The store does not answer');
      return remove(path);
    };
    world.context.clock.advance(LEASE_MS + 1);

    await expect(world.runTask('templates.sweep')).rejects.toThrow('generations');

    const { content } = (await world.list()).body;
    expect(content).toMatchObject(Array(3).fill({ status: 'FAILED' }));
    expect(world.left()).toEqual([stuck]);
  });

  it('ends what was interrupted although very many wait for their jobs', async () => {
    const all = Array.from({ length: 600 }, (_, index) =>
      openOne(`g${index}`, index < 590 ? 'open' : 'gone'),
    );
    const ended: string[] = [];
    const sweep = new GenerationSweep({
      jobs: { renders: async ({ jobId }) => jobId === 'open' },
      generations: {
        due: async (_now, limit) => all.slice(0, limit),
        find: async (_template, id) => all.find((one) => one.id === id),
      },
      run: {
        interrupt: async ({ id }) => {
          ended.push(id);
          return true;
        },
        clean: async () => undefined,
      },
      machine: { now: () => LEASE_MS },
    });

    await sweep.sweep();

    expect(new Set(ended)).toEqual(new Set(all.slice(590).map(({ id }) => id)));
  });

  it('comes to an end with all that many calls have left', async () => {
    const all = new Map(
      Array.from({ length: 1_200 }, (_, index) => [`g${index}`, cancelledOne(`g${index}`)]),
    );
    const cleaned = new Set<string>();
    const sweep = new GenerationSweep({
      jobs: { renders: async () => false },
      generations: {
        due: async (_now, limit) => [...all.values()].slice(0, limit),
        find: async (_template, id) => all.get(id),
      },
      run: {
        interrupt: async () => false,
        clean: async ({ id }) => {
          if (id === 'g3') throw new Error('The store does not answer');
          cleaned.add(id);
          all.delete(id);
        },
      },
      machine: { now: () => LEASE_MS },
    });

    await expect(sweep.sweep()).rejects.toThrow('not swept');

    expect([...all.keys()]).toEqual(['g3']);
    expect(cleaned.size).toBe(1_199);
  });
});

const openOne = (id: string, jobId: string): Generation => ({
  ...cancelledOne(id),
  ...{ status: 'PENDING', jobId, remains: undefined },
});

const cancelledOne = (id: string): Generation => ({
  ...{ id, tenant: '', templateId: 't', templateCode: 'c', templateType: 'TYPE_1' },
  ...{ fileVersion: 1, status: 'CANCELLED', editStatus: 'LOCKED', format: 'DOCX' },
  ...{ fileName: 'c.docx', warningCodes: [], warnings: [], attempt: 1, leaseUntil: 0, version: 3 },
  ...{ createdAt: '', createdBy: 'lan', updatedAt: '', remains: [`documents/${id}.docx`] },
});
