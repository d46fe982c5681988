import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type DocsDocumentSavedEvent,
  docsDocumentSavedListener,
} from '../../../../functions/editor/index.ts';
import type { MessageEnvelope } from '../../../../shared/messaging/wire/envelope.ts';
import { aShop } from '../../messaging/a-shop.ts';
import { LETTER } from '../editor-api.ts';
import { anOpenDocument } from './saves.ts';

/** A listener of a host, and what it was given. */
function aListener(fail: (calls: number) => boolean = () => false) {
  const given: DocsDocumentSavedEvent[] = [];
  let calls = 0;
  const listener = docsDocumentSavedListener('contracts', async (event) => {
    calls += 1;
    if (fail(calls)) throw new Error('The records are not to be reached');
    given.push(event);
  });
  const seen = () =>
    given.map(({ isTerminal, ...event }) => ({ ...event, isTerminal: isTerminal() }));
  return { listener, seen, calls: () => calls };
}

const SAVED = { documentId: 'doc-1', editedFilePath: LETTER, conflict: false, userId: 'lan' };

describe('docsDocumentSavedListener with the transport broker', () => {
  /** What a save sends, and the function that has the listeners of the host. */
  async function aSave(...statuses: readonly number[]) {
    const world = await anOpenDocument();
    onTestFinished(() => world.server.close());
    for (const status of statuses) await world.save(status);
    return world.context.bus.events
      .filter(({ type }) => type === 'docs.document.saved')
      .map(({ envelope }) => JSON.parse(JSON.stringify(envelope)) as MessageEnvelope);
  }

  it('is told of each save, and whether the editing has ended', async () => {
    const { listener, seen } = aListener();
    const { messaging } = aShop({ listeners: [listener] });

    const back = await messaging.deliver(...(await aSave(6, 2)));

    expect(back).toEqual([]);
    expect(seen()).toMatchObject([
      { ...SAVED, status: 6, isTerminal: false },
      { ...SAVED, status: 2, isTerminal: true },
    ]);
  });

  it('is told once, however often the save is delivered', async () => {
    const { listener, calls } = aListener();
    const { messaging } = aShop({ listeners: [listener] });
    const events = await aSave(2);

    await messaging.deliver(...events, ...events);
    await messaging.deliver(...events);

    expect(calls()).toBe(1);
  });

  it('is told again after it has failed', async () => {
    const { listener, seen, calls } = aListener((call) => call === 1);
    const { messaging, context } = aShop({ listeners: [listener] });
    const events = await aSave(2);

    const back = await messaging.deliver(...events);
    context.machineClock.advance(600_000);
    const then = await messaging.deliver(...events);

    expect([back.length, then.length, calls()]).toEqual([1, 0, 2]);
    expect(seen()).toMatchObject([{ ...SAVED, isTerminal: true }]);
  });
});

describe('docsDocumentSavedListener with the transport spring', () => {
  async function aDocument(listener: ReturnType<typeof docsDocumentSavedListener>) {
    const world = await anOpenDocument({
      also: { listeners: [listener] },
      svc: { mq: { transport: 'spring' } },
    });
    onTestFinished(() => world.server.close());
    return world;
  }

  it('is told of each save within its call, once', async () => {
    const { listener, seen } = aListener();
    const world = await aDocument(listener);
    const url = `${world.server.url}/cache/files/same/output.docx`;

    await world.save(6);
    await world.save(2, { url });
    await world.save(2, { url });

    expect(seen()).toMatchObject([
      { ...SAVED, status: 6, isTerminal: false },
      { ...SAVED, status: 2, isTerminal: true },
    ]);
    expect(world.context.bus.events).toEqual([]);
  });

  it('fails no save', async () => {
    const { listener, calls } = aListener(() => true);
    const world = await aDocument(listener);

    const { status, body } = await world.save(2);

    expect([status, body, calls(), world.writes()]).toEqual([200, { error: 0 }, 1, 1]);
    expect(world.context.log.named('A listener failed')).toHaveLength(1);
  });
});
