import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { readParagraphs } from '../../../helpers/docx/independent-reader.ts';
import { versionedStorage } from '../../../helpers/editor/versioned-storage.ts';
import { aGenerationsApi } from '../../templates/generations/generations-api.ts';
import { type EditorOptions, LETTER } from '../editor-api.ts';
import { steps } from './dying-steps.ts';
import { anOpenTemplate } from './edited-templates.ts';
import { anOpenDocument, letter } from './saves.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** Longer than a call may take. */
const LATER_MS = 60_000;
const hashOf = (file: Uint8Array = Buffer.alloc(0)) =>
  createHash('sha256').update(file).digest('hex');
const textOf = (file: Uint8Array | undefined): string =>
  JSON.stringify([...readParagraphs(file ?? Buffer.alloc(0))]);

type Document = Awaited<ReturnType<typeof anOpenDocument>>;

/** A document that is open, whatever it is. */
interface Opened {
  readonly world: Document;
  readonly id: string;
  /** Where it lies now. */
  readonly path: () => Promise<string>;
  readonly hash?: () => Promise<unknown>;
}

const kinds: Readonly<Record<string, (options: EditorOptions) => Promise<Opened>>> = {
  async letter(options) {
    const storage = versionedStorage();
    storage.files.set(LETTER, letter('original'));
    const world = await anOpenDocument({ ...options, storage });
    return { world, id: 'doc-1', path: async () => LETTER };
  },
  async template(options) {
    const world = await anOpenTemplate(options);
    const path = async () =>
      String((await world.get(`/api/v1/docs/documents/${world.id}/versions`)).body.fileId);
    return { world, id: world.id, path };
  },
  async generation(options) {
    const storage = versionedStorage();
    const templates = await aGenerationsApi({ storage });
    const { body } = await templates.generate({ entityData: { ho_ten: 'An' } });
    const id = String(body.generationId);
    const [fileId = ''] = templates.outputs();
    const world = await anOpenDocument(
      { ...options, storage, besides: templates.context, svc: { template: { enabled: true } } },
      { fileId, fileName: 'letter.docx', documentId: id },
    );
    const hash = async () => (await templates.get(id)).body.outputHash;
    return { world, id, path: async () => fileId, hash };
  },
};

/** A document whose saves have a text each, and die where they are told to. */
async function aDocument(kind: string, options: EditorOptions = {}) {
  const opened = await kinds[kind]?.(options);
  if (!opened) throw new Error(`There is no ${kind}`);
  const { world } = opened;
  open.push(world.server);
  const save = (status: number, text: string) => {
    world.server.answer = (_, response) => response.end(letter(text));
    return world.save(status);
  };
  return {
    ...opened,
    save,
    /** @returns whether it has ended before the step */
    async dieAt(step: number, status: number, text: string): Promise<boolean> {
      const watched = steps(world);
      watched.endAfter(step);
      const answer = await save(status, text);
      watched.restart();
      world.context.clock.advance(LATER_MS);
      world.context.machineClock.advance(LATER_MS);
      return answer.status === 200;
    },
    isStored: async (text: string) => textOf(world.stored(await opened.path())).includes(text),
    key: async () => (await world.reopen()).document.key,
    saved: () =>
      world
        .events()
        .filter(({ type }) => type === 'docs.document.saved')
        .map((event) => (event as { status?: unknown }).status),
    versions: async () => {
      const { body } = await world.get(`/api/v1/docs/documents/${opened.id}/versions`);
      return (body.history as readonly { user?: { id: string } }[]).length;
    },
  };
}

/** Saves with what each reports; the one that dies has a `†`. */
const SEQUENCES = [
  ['6†', '6', '2'],
  ['6', '6†', '2'],
  ['6†', '6†', '2'],
];

const CASES = [
  ...SEQUENCES.map((reports) => ({ kind: 'letter', reports, options: {} })),
  ...['letter', 'generation'].map((kind) => ({
    ...{ kind, reports: ['6†', '2'] },
    options: { memory: { mostInMemory: 100, partBytes: 400 } },
  })),
  ...SEQUENCES.slice(0, 2).map((reports) => ({ kind: 'generation', reports, options: {} })),
  { kind: 'template', reports: ['6†', '6', '2'], options: {} },
];

/** @returns the statuses of saves that were stored, and whether all ended before the step */
async function reportAll(
  document: Awaited<ReturnType<typeof aDocument>>,
  reports: readonly string[],
  step: number,
) {
  const stored: string[] = [];
  let hasEnded = true;
  for (const [at, report] of reports.entries()) {
    const [status, text] = [Number(report[0]), `text-${at}`];
    const isLast = at === reports.length - 1;
    const where = `dead at step ${step}, ${text}`;
    const before = await document.key();
    if (report.endsWith('†')) hasEnded = (await document.dieAt(step, status, text)) && hasEnded;
    else expect((await document.save(status, text)).status, where).toBe(200);
    if (await document.isStored(text)) stored.push(String(status));
    expect((await document.key()) === before, where).toBe(!isLast);
  }
  return { stored, hasEnded };
}

describe('saves behind one that ended before it was known', () => {
  it.each(CASES)('go on over it: $kind, $reports, $options', async (given) => {
    const { kind, reports, options } = given;
    for (let step = 0; ; step += 1) {
      const document = await aDocument(kind, options);
      const { world } = document;
      const where = `dead at step ${step}`;

      const { stored, hasEnded } = await reportAll(document, reports, step);

      expect(await document.isStored(`text-${reports.length - 1}`), where).toBe(true);
      expect(world.conflicts(), where).toEqual([]);
      expect(document.saved().map(String), where).toEqual(stored);
      expect(await document.versions(), where).toBe(stored.length + 1);
      if (document.hash) {
        expect(await document.hash(), where).toBe(hashOf(world.stored(await document.path())));
      }
      await world.server.close();
      if (hasEnded) return;
    }
  });

  it.each(['letter', 'generation'])('go on when it could not be committed: %s', async (kind) => {
    const document = await aDocument(kind);
    const { world } = document;
    const off = world.context.db.before('TransactWriteItems', async () => {
      if (await document.isStored('first')) throw new Error('The table is throttled');
    });
    const broken = await document.save(6, 'first');
    off();

    const { status } = await document.save(6, 'second');
    const last = await document.save(2, 'third');

    expect([broken.status, status, last.status]).toEqual([503, 200, 200]);
    expect(await document.isStored('third')).toBe(true);
    expect([world.conflicts(), document.saved()]).toEqual([[], [6, 6, 2]]);
    expect(await document.versions()).toBe(4);
  });

  it('keep what somebody else has put over it', async () => {
    const { world, save, ...document } = await aDocument('letter');
    const off = world.context.db.before('TransactWriteItems', async () => {
      if (await document.isStored('first')) throw new Error('The table is throttled');
    });
    await save(6, 'first');
    off();
    world.storage.files.set(LETTER, Buffer.from('from outside'));
    world.context.machineClock.advance(LATER_MS);

    const { status } = await save(6, 'second');

    const stored = Buffer.from(world.stored() ?? []).toString();
    expect([status, stored]).toEqual([200, 'from outside']);
    expect(world.conflicts()).toHaveLength(1);
  });
});

describe('the account of a save that ended before it was known', () => {
  it.each(['letter', 'generation'])('is kept by whoever lists the versions: %s', async (kind) => {
    const { world, save, ...document } = await aDocument(kind);
    const off = world.context.db.before('TransactWriteItems', async () => {
      if (await document.isStored('first')) throw new Error('The table is throttled');
    });
    await save(6, 'first');
    off();
    world.context.machineClock.advance(LATER_MS);

    const [first, again] = [await document.versions(), await document.versions()];

    expect([first, again, document.saved()]).toEqual([2, 2, [6]]);
    const { body } = await world.get(`/api/v1/docs/documents/${document.id}/versions`);
    expect(body.history).toMatchObject([{}, { user: { id: 'lan' } }]);
    if (document.hash) {
      expect(await document.hash()).toBe(hashOf(world.stored(await document.path())));
    }
    expect((await save(6, 'second')).status).toBe(200);
    expect([world.conflicts(), await document.versions()]).toEqual([[], 3]);
  });
});

describe('a save whose content a dead one has stored', () => {
  it('tells of both, and makes one version', async () => {
    const { world, save, ...document } = await aDocument('letter');
    const off = world.context.db.before('TransactWriteItems', async () => {
      if (await document.isStored('same')) throw new Error('The table is throttled');
    });
    await save(6, 'same');
    off();

    const { status } = await save(2, 'same');

    expect([status, world.writes(), document.saved()]).toEqual([200, 1, [6, 2]]);
    expect(await document.versions()).toBe(2);
  });
});
