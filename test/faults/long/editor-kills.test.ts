import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapLimited } from '../../../shared/primitives/map-limited.ts';
import { makeDocx, paragraph } from '../../helpers/docx/make-docx.ts';
import type { EditorProcess } from '../harness/editor-processes.ts';
import {
  type EditingServer,
  editingServer,
  hashOf,
  type OpenedDocument,
  openIn,
  useEditorWorld,
} from '../harness/editor-world.ts';
import { report } from '../harness/run.ts';

const ORIGINAL = Buffer.from('as it was');
const STATUSES = [2, 6];
/** The save at the end of an editing whose saves before it have failed. */
const END = { status: 2, name: 'end' };
const MIB = 1_048_576;

const SIZES = [
  {
    name: 'in memory',
    bytes: makeDocx({ body: paragraph('edited') }),
    last: makeDocx({ body: paragraph('edited on') }),
    memory: undefined,
  },
  {
    name: 'in parts',
    bytes: randomBytes(11 * MIB),
    last: randomBytes(11 * MIB),
    memory: { mostInMemory: 6 * MIB, partBytes: 5 * MIB },
  },
];

const world = useEditorWorld();
beforeAll(() => world.keepVersions());

/** A document, the status of its save, and before which call the function is killed. */
interface Death {
  readonly document: OpenedDocument;
  readonly status: number;
  readonly call: number;
}

describe.each(SIZES)('functions that are killed in a save ($name)', (size) => {
  const { name, bytes, last, memory } = size;
  let server: EditingServer;
  let living: EditorProcess;
  const start = () => server.start(world.cloud(), { memory });
  beforeAll(async () => {
    server = await editingServer(bytes);
    server.answer = ({ url = '' }, response) =>
      response.end(url.includes(`/${END.name}/`) ? last : bytes);
    living = await start();
  });
  afterAll(async () => {
    await living.stop();
    await server.close();
  });

  async function aDocument(at: string): Promise<OpenedDocument> {
    const fileId = `documents/kills/${name}-${at}.docx`;
    await world.put(fileId, ORIGINAL);
    return openIn(living, fileId);
  }

  /** How many calls a save has in a process that has just begun; it counts those of one save at a time. */
  async function callsOfEach(): Promise<number[]> {
    const counts: number[] = [];
    for (const status of STATUSES) {
      const document = await aDocument(`${status}-whole`);
      const fresh = await start();
      const whole = await server.report(fresh, document, { status, name: 'whole' });
      await fresh.stop();
      counts.push(whole?.calls ?? 0);
    }
    return counts;
  }

  /** Kills a function before each call of a save, each time another one in the save of another document. */
  async function dieAtEachCall(status: number, count = 0): Promise<Death[]> {
    const calls = Array.from({ length: count }, (_, at) => at);
    const deaths = await mapLimited(calls, 2, async (call) => {
      const document = await aDocument(`${status}-${call}`);
      const doomed = await start();
      const answer = await server.report(
        doomed,
        document,
        { status, name: `${status}` },
        {
          dieBefore: call,
        },
      );
      await doomed.stop();
      // Some saves have fewer calls: settings are looked at again now and then.
      if (answer) expect(answer.calls).toBeLessThanOrEqual(call);
      return answer ? [] : [{ document, status, call }];
    });
    return deaths.flat();
  }

  /** What a document server does after a failure: a save while it is edited is followed by another one only. */
  async function goOn({ document, status }: Death): Promise<number | undefined> {
    const again = await server.tryAgain(living, document, { status, name: `${status}` });
    if (status === 2) return again?.status;
    const atTheEnd = await server.report(living, document, END);
    if (atTheEnd?.status === 200) return 200;
    return (await server.tryAgain(living, document, END))?.status;
  }

  it('lose and double nothing, and no key changes early', { timeout: 900_000 }, async () => {
    const counts = await callsOfEach();
    const all = STATUSES.map((status, at) => dieAtEachCall(status, counts[at]));
    const deaths = (await Promise.all(all)).flat();
    const before = await Promise.all(deaths.map(({ document }) => world.outcome(document.fileId)));
    for (const [at, { document, call, status }] of deaths.entries()) {
      const isChanged = before[at]?.hash !== hashOf(ORIGINAL);
      const isKept = before[at]?.key === document.key;
      expect(isChanged || isKept, `status ${status}, call ${call}`).toBe(true);
    }

    const answers = await Promise.all(deaths.map(goOn));

    report(`killed in a save (${name})`, { kills: deaths.length });
    expect(deaths.length).toBeGreaterThan(20);
    expect(new Set(answers)).toEqual(new Set([200]));
    for (const [at, death] of deaths.entries()) {
      const { document, call, status } = death;
      const outcome = await world.outcome(document.fileId);
      // A save whose call has ended behind its write is told of by the next one, or not at all; never twice.
      const isBetween = status === 6 && before[at]?.hash === hashOf(bytes);
      expect(outcome, `status ${status}, call ${call}`).toMatchObject({
        ...{ hash: hashOf(status === 6 ? last : bytes), files: [document.fileId] },
        ...{ versions: isBetween ? 3 : 2, rev: 2, state: 'SAVED' },
      });
      expect(outcome.key).not.toBe(document.key);
      expect([1, isBetween ? 2 : 1], `status ${status}, call ${call}`).toContain(outcome.events);
    }
  });
});
