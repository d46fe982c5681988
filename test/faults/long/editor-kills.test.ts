import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
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
/** Pauses of a document server between its tries (ms). */
const PAUSES = [1_000, 2_000, 4_000];
const MIB = 1_048_576;

const SIZES = [
  { name: 'in memory', bytes: makeDocx({ body: paragraph('edited') }), memory: undefined },
  {
    name: 'in parts',
    bytes: randomBytes(11 * MIB),
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

describe.each(SIZES)('functions that are killed in a save ($name)', ({ name, bytes, memory }) => {
  let server: EditingServer;
  let living: EditorProcess;
  const start = () => server.start(world.cloud(), { memory });
  beforeAll(async () => {
    server = await editingServer(bytes);
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

  /** Kills a function before each call of a save, each time another one in the save of another document. */
  async function dieAtEachCall(status: number): Promise<Death[]> {
    const whole = await server.report(living, await aDocument(`${status}-whole`), {
      ...{ status, name: 'whole' },
    });
    const calls = Array.from({ length: whole?.calls ?? 0 }, (_, at) => at);
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

  /** As a document server tries again after a failure. */
  async function tryAgain({ document, status }: Death): Promise<number | undefined> {
    for (const pause of PAUSES) {
      await sleep(pause);
      const answer = await server.report(living, document, { status, name: `${status}` });
      if (answer?.status === 200) return 200;
    }
    return undefined;
  }

  it('lose and double nothing, and no key changes early', { timeout: 900_000 }, async () => {
    const deaths = (await Promise.all(STATUSES.map(dieAtEachCall))).flat();
    for (const { document, call, status } of deaths) {
      const { hash, key } = await world.outcome(document.fileId);
      const isStored = hash === hashOf(bytes);
      if (!isStored) expect(key, `status ${status}, call ${call}`).toBe(document.key);
    }

    const answers = await Promise.all(deaths.map(tryAgain));

    report(`killed in a save (${name})`, { kills: deaths.length });
    expect(deaths.length).toBeGreaterThan(20);
    expect(new Set(answers)).toEqual(new Set([200]));
    for (const { document, call, status } of deaths) {
      const outcome = await world.outcome(document.fileId);
      const isEnded = status === 2;
      expect(outcome, `status ${status}, call ${call}`).toMatchObject({
        ...{ hash: hashOf(bytes), versions: 2, files: [document.fileId], events: 1 },
        ...{ rev: isEnded ? 2 : 1, ...(isEnded && { state: 'SAVED' }) },
      });
      expect(outcome.key === document.key).toBe(!isEnded);
    }
  });
});
