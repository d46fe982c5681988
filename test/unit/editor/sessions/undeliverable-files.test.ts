import { Metrics } from '@aws-lambda-powertools/metrics';
import { describe, expect, it, vi } from 'vitest';
import { LETTER } from '../editor-api.ts';
import { letter } from '../saving/saves.ts';
import { type Answer, aCommandedDocument } from './commanded-document.ts';

const MIB = 1_048_576;
const RUN_MS = 900_000;
const DAY_MS = 86_400_000;

/** A document that the editing server has kept, and that is too large. */
async function aForgottenDocument(docs: object = {}) {
  const answers: Record<string, Answer> = {};
  const world = await aCommandedDocument(answers, { docs: { 'max-file-size': MIB, ...docs } });
  answers.getForgottenList = { error: 0, keys: [world.key] };
  answers.getForgotten = { error: 0, url: `${world.server.url}/cache/files/f/output.docx` };
  const { answer: commanded } = world.server;
  let content: Uint8Array = Buffer.alloc(MIB + 1);
  world.server.answer = (request, response) =>
    request.url?.startsWith('/cache/files/') ? response.end(content) : commanded(request, response);
  const asked = () => world.commands.filter(({ c }) => c === 'getForgotten').length;
  return {
    ...world,
    answers,
    asked,
    serve: (bytes: Uint8Array) => {
      content = bytes;
    },
    /** Runs of the schedule, up to a time from now. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += RUN_MS) {
        await world.runTask('editor.recovery');
        world.context.machineClock.advance(RUN_MS);
      }
    },
    failures: () => world.events().filter(({ type }) => type === 'docs.document.save-failed'),
    async session() {
      const { body } = await world.sessions();
      return (body.content as readonly Answer[]).at(-1);
    },
  };
}

describe('a forgotten document that can never be stored', () => {
  it('is told once, and shown with its reason', async () => {
    const world = await aForgottenDocument();

    await world.pass(DAY_MS);

    expect(world.failures()).toMatchObject([{ reason: 'DOCS_SAVE_TOO_LARGE', isTerminal: true }]);
    expect(await world.session()).toMatchObject({
      state: 'FAILED',
      failures: [{ reason: 'DOCS_SAVE_TOO_LARGE' }],
      recovery: { reason: 'DOCS_SAVE_TOO_LARGE', tries: 1, nextTryAt: '2026-03-02T09:30:00.000Z' },
    });
  });

  it('is not told again where its callback has said so', async () => {
    const world = await aForgottenDocument();
    const refused = await world.save(2);

    await world.pass(DAY_MS);

    expect(refused.status).toBe(413);
    expect(world.failures()).toHaveLength(1);
    expect((await world.session())?.failures).toHaveLength(1);
  });

  it('raises the alarm once', async () => {
    const counted = vi.spyOn(Metrics.prototype, 'addMetric');
    const world = await aForgottenDocument();

    await world.pass(DAY_MS);

    const raised = counted.mock.calls.filter(([name]) => name === 'DocsSaveFailed');
    counted.mockRestore();
    expect(raised).toHaveLength(1);
  });

  it('stays with the editing server, and is tried again once a day', async () => {
    const world = await aForgottenDocument();

    await world.pass(3 * DAY_MS);

    expect(world.asked()).toBe(3);
    expect(world.commands.some(({ c }) => c === 'deleteForgotten')).toBe(false);
  });

  it('is stored once the limit is raised, and shown as such', async () => {
    const world = await aForgottenDocument();
    await world.pass(DAY_MS);
    world.serve(letter('small enough'));

    await world.pass(RUN_MS);

    expect(world.commands.at(-1)).toEqual({ c: 'deleteForgotten', key: world.key });
    expect(world.writes(LETTER)).toBe(1);
    expect(await world.session()).toMatchObject({ state: 'SAVED', recovery: null });
  });

  it('keeps nobody else from being recovered', async () => {
    const world = await aForgottenDocument();
    await world.pass(RUN_MS);
    const { body } = await world.open({ fileId: LETTER.replace('letter', 'other') });

    expect(body.code).toBe('DOCS_FILE_NOT_FOUND');
    world.storage.files.set('documents/other.docx', letter('other'));
    const other = await world.open({ fileId: 'documents/other.docx', documentId: 'doc-2' });
    const { key } = other.body.document as { readonly key: string };
    world.answers.getForgottenList = { error: 0, keys: [world.key, key] };
    world.serve(letter('of the other'));
    const report = await world.runTask('editor.recovery');

    expect(report).toEqual({ found: 1, recovered: 1, failed: 0 });
  });
});

describe('a forgotten document that cannot be stored for a while', () => {
  it('is tried at growing distances, and told when it fails for another reason', async () => {
    const world = await aForgottenDocument();
    world.serve(letter('in the end'));
    const { beforePut } = world.storage;
    world.storage.beforePut = () => {
      throw new Error('The storage is down');
    };

    await world.pass(DAY_MS);
    const tries = world.asked();
    world.serve(Buffer.alloc(MIB + 1));
    await world.pass(DAY_MS);

    expect(tries).toBe(7);
    expect(world.failures()).toMatchObject([
      { reason: 'DOCS_SAVE_FAILED' },
      { reason: 'DOCS_SAVE_TOO_LARGE' },
    ]);
    expect(world.failures()).toHaveLength(2);
    expect(beforePut).toBeUndefined();
  });

  it('is shown with what the editing server says of it', async () => {
    const world = await aForgottenDocument();
    world.answers.getForgotten = { error: 0, url: 'http://evil.example/x' };

    await world.pass(RUN_MS);

    expect(await world.session()).toMatchObject({
      recovery: { reason: 'DOCS_CALLBACK_INVALID', tries: 1 },
      failures: [{ reason: 'DOCS_CALLBACK_INVALID', status: 2 }],
    });
  });
});
