import { hkdfSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { normaliseDocx, openDocx, writeDocx } from '../../../shared/docx/index.ts';
import { createTokenVerifier } from '../../../shared/security/token-verifier.ts';
import { admin, aToken } from '../../helpers/api/test-tokens.ts';
import { anEditorApi, LETTER, SECRET } from '../../unit/editor/editor-api.ts';
import { anOpenDocument } from '../../unit/editor/saving/saves.ts';
import { type Figure, median } from '../benchmark.ts';
import { aDocument } from './a-document.ts';

const ROUNDS = 30;
const WARM_UP = 5;
const LABELS = ['docs/file/v1', 'docs/callback/v1'];

/** What the editor adds to the work that nobody can leave out, over a table and a storage in memory, by CPU time. */
export const inProcess = async (say: (text: string) => void): Promise<Figure[]> => [
  ...(await saves(say)),
  ...(await configurations(say)),
];

async function saves(say: (text: string) => void): Promise<Figure[]> {
  const world = await anOpenDocument();
  const documents = Array.from({ length: ROUNDS + WARM_UP }, (_, round) => aDocument(round));
  let current = documents[0] ?? Buffer.alloc(0);
  world.server.answer = (_, response) => response.end(current);
  const { meter } = world.context.db;
  meter.reset();
  const [plain, ours] = await measure([
    async (round) => {
      current = documents[round] ?? current;
      const answer = await fetch(`${world.server.url}/plain`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      const written = writeDocx(normaliseDocx(await openDocx(bytes), { keepsControls: true }).pkg);
      await world.storage.put('documents/plain.docx', written, '');
    },
    async () => {
      const { status } = await world.save(6);
      if (status !== 200) throw new Error(`A save was answered with ${status}`);
    },
  ]);
  const { requests, readUnits, writeUnits } = meter.total();
  const each = (count: number) => (count / (ROUNDS + WARM_UP)).toFixed(1);
  say(
    `${Math.round(current.length / 1_024)} KiB a save; ${each(requests.length)} requests of the table, ` +
      `${each(readUnits)} read units, ${each(writeUnits)} write units`,
  );
  await world.server.close();
  const floor = { what: 'download, normalise and put alone', value: plain ?? 0 };
  return [{ what: 'callback of a save', value: ours ?? 0, unit: 'ms of CPU', floor }];
}

async function configurations(say: (text: string) => void): Promise<Figure[]> {
  const api = anEditorApi();
  const { context, storage } = api;
  const verify = createTokenVerifier(context.config.security, context.machineClock);
  const caller = await aToken(admin, context.clock.now());
  const path = `/api/v1/docs/editor?${new URLSearchParams({
    ...{ fileId: LETTER, fileName: 'Letter.docx', documentId: 'd' },
  })}`;
  const config = await api.opened();
  const keys = [
    Buffer.from(SECRET),
    ...LABELS.map((label) => new Uint8Array(hkdfSync('sha256', SECRET, '', label, 32))),
  ];
  const [plain, ours] = await measure([
    async () => {
      await verify(caller);
      await context.table.get({ pk: `DOCKEY#${LETTER}`, sk: 'KEY' });
      await storage.head(LETTER);
      for (const key of keys) {
        const claims = key === keys[0] ? { ...config } : { fid: LETTER, sub: 'admin' };
        await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key);
      }
      JSON.stringify(config);
    },
    async () => {
      const { status } = await api.call({ method: 'GET', path, token: caller });
      if (status !== 200) throw new Error(`A configuration was answered with ${status}`);
    },
  ]);
  const { requests, readUnits, writeUnits } = await context.db.meter.costOf(() => api.opened());
  say(
    `a configuration: ${requests.join(', ')}; ${readUnits} read units, ${writeUnits} write units`,
  );
  const floor = { what: 'the same signatures, item and head alone', value: plain ?? 0 };
  return [{ what: 'configuration', value: ours ?? 0, unit: 'ms of CPU', floor }];
}

/** Medians of the CPU time of each work, the rounds taken in turn. */
async function measure(works: readonly ((round: number) => Promise<void>)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    for (const [index, work] of works.entries()) {
      const before = process.cpuUsage();
      await work(round);
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UP) times[index]?.push((user + system) / 1_000);
    }
  }
  return times.map(median);
}
