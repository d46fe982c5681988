import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';
import { aReEncryptionWorld } from '../../../helpers/re-encryption/a-world.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import type { ApiAnswer, ConnectedModule } from '../../../helpers/world/a-context.ts';
import { DEFINITIONS, RECORDS } from '../entities-api.ts';
import { factsOf, file } from './deals.ts';

const DEALS = `${RECORDS}/deal`;
const OPERATIONS = ['GetItem', 'Query', 'BatchGetItem', 'BatchWriteItem', 'TransactWriteItems'];
/** Too long for an item. */
const long = (text: string): string => text.padEnd(320_000, `${text} `);

const definition = (isSecret: boolean) => ({
  ...{ code: 'deal', name: 'Deal', apiPath: 'deals' },
  uiSchemaJson: {
    type: 'object',
    properties: {
      pin: { type: 'string', 'x-encrypted': true },
      note: { type: 'string', ...(isSecret && { 'x-encrypted': true }) },
      text: { type: 'string', format: 'textarea', ...(isSecret && { 'x-encrypted': true }) },
      contract: file(),
      photo: file(),
    },
  },
});

/** What a record should hold; files by their content. */
interface Deal {
  readonly path: string;
  readonly pin: string;
  readonly note: string;
  readonly text: string;
  readonly contract: string | null;
  readonly photo: string | null;
}

/** Records with files in two environments, whose fields become encrypted and whose key is replaced. */
async function aWorld(seed: number) {
  const random = seededRandom(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  const storage = memoryStorage();
  const host = { storage, permissionEvaluator: claimsPermissionEvaluator };
  const world = aReEncryptionWorld({ host, pauseMs: () => 0 });
  const environments = [world.entities, world.besides().entities];
  const call = (method: string, path: string, body?: unknown): Promise<ApiAnswer> =>
    (environments[pick(2)] as ConnectedModule).call({ method, path, body });
  await world.saveKey(1);
  expect((await call('POST', DEFINITIONS, definition(false))).status).toBe(201);
  const deals = new Map<string, Deal>();
  // Calls that come between the requests of a job are no part of it.
  const apart = AsyncLocalStorage.snapshot();
  let made = 0;

  const uploaded = async (text: string): Promise<string | undefined> => {
    const announced = await call('POST', `${DEALS}/files/uploads`, {
      ...{ field: 'contract', fileName: 'a.pdf', contentType: 'application/pdf' },
      ...factsOf(text),
    });
    if (announced.status !== 201) return undefined;
    const { method, url, headers } = announced.body.upload as {
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };
    const path = url.replace('http://api.example.com', '');
    const body = Buffer.from(text);
    const sent = await world.entities.call({ method, path, headers, caller: null, body });
    return sent.status < 300 ? String(announced.body.id) : undefined;
  };

  const create = async (): Promise<void> => {
    made += 1;
    const values = { pin: `pin ${made}`, note: `note ${made}`, text: long(`text ${made}`) };
    const text = `file ${made}`;
    const contract = pick(4) ? await uploaded(text) : undefined;
    const answer = await call('POST', DEALS, { ...values, ...(contract && { contract }) });
    if (answer.status !== 201) return;
    const path = String(answer.headers.location).replace('/deals/', '/deal/');
    const content = contract ? text : null;
    deals.set(path, { path, ...values, contract: content, photo: null });
  };

  const change = async (deal: Deal): Promise<void> => {
    made += 1;
    const content = pick(3) ? `file ${made}` : null;
    const values = pick(2) ? { text: long(`text ${made}`), note: `note ${made}` } : {};
    const contract = content && (await uploaded(content));
    if (contract === undefined) return;
    const { status } = await call('PATCH', deal.path, { contract, ...values });
    if (status !== 200) return;
    deals.set(deal.path, { ...deal, ...values, contract: content });
  };

  const move = async (deal: Deal): Promise<void> => {
    const { body } = await call('GET', deal.path);
    const swapped = { contract: body.photo ?? null, photo: body.contract ?? null };
    if ((await call('PATCH', deal.path, swapped)).status !== 200) return;
    deals.set(deal.path, { ...deal, contract: deal.photo, photo: deal.contract });
  };

  const remove = async (deal: Deal): Promise<void> => {
    if (pick(2)) {
      if ((await call('DELETE', `${deal.path}?purge=true`)).status === 204) deals.delete(deal.path);
      return;
    }
    if ((await call('DELETE', deal.path)).status !== 204) return;
    deals.delete(deal.path);
    const restored = await call('POST', `${deal.path}/restore`);
    if (restored.status === 200) deals.set(deal.path, deal);
    else expect((await call('DELETE', `${deal.path}?purge=true`)).status).toBe(204);
  };

  const look = async (deal: Deal): Promise<void> => {
    const { path, contract, photo, ...values } = deal;
    const record = await call('GET', path);
    expect(record.status, record.text.slice(0, 300)).toBe(200);
    expect(record.body).toMatchObject(values);
    for (const [field, content] of Object.entries({ contract, photo })) {
      const link = await call('GET', `${path}/files/${field}`);
      expect(link.status, link.text).toBe(content === null ? 404 : 200);
      if (content === null) continue;
      const at = String(link.body.url).replace('http://api.example.com', '');
      const found = await world.entities.call({ method: 'GET', path: at, caller: null });
      expect(found.text).toBe(content);
    }
  };

  const act = async (): Promise<void> => {
    const all = [...deals.values()];
    const deal = all[pick(all.length)];
    const kind = pick(10);
    if (!deal || kind < 2) await create();
    else if (kind < 5) await change(deal);
    else if (kind < 6) await move(deal);
    else if (kind < 8) await remove(deal);
    else await look(deal);
  };

  /** Runs work while calls come between its requests, and some of its requests fail. */
  const meanwhile = async (work: () => Promise<unknown>): Promise<void> => {
    let acting: Promise<void> | undefined;
    const stops = OPERATIONS.map((operation) =>
      world.context.db.before(operation, async () => {
        if (acting) return;
        if (pick(40) === 0) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
        if (pick(12) > 0) return;
        acting = apart(act).finally(() => {
          acting = undefined;
        });
        await acting;
      }),
    );
    try {
      await work();
    } finally {
      await acting;
      for (const stop of stops) stop();
    }
  };

  return { ...world, storage, deals, pick, call, create, look, meanwhile };
}

type World = Awaited<ReturnType<typeof aWorld>>;

/** Records have what they should, nothing else is stored, and no encrypted value is in the clear. */
async function expectWhole({ deals, context, storage, look }: World, isSecret: boolean) {
  for (const deal of deals.values()) await look(deal);
  const items = context.db.items();
  const bound = items.filter(({ sk }) => String(sk).startsWith('DYN_FILE#'));
  const named = [...deals.values()].flatMap(({ contract, photo }) =>
    [contract, photo].filter((each) => each !== null),
  );
  expect(bound).toHaveLength(named.length);
  const files = [...storage.files].filter(([path]) => path.includes('/attachments/'));
  expect(files.map(([, body]) => Buffer.from(body).toString()).sort()).toEqual(named.sort());
  const texts = [...storage.files].filter(([path]) => !path.includes('/attachments/'));
  expect(texts).toHaveLength(deals.size);
  const stored = JSON.stringify(items) + texts.map(([, body]) => Buffer.from(body)).join();
  expect(stored).not.toMatch(/"pin \d/);
  const hasClear = /"(note|text) \d/.test(stored);
  expect(hasClear).toBe(!isSecret && deals.size > 0);
}

it.each(Array.from({ length: propertyRuns(4) }, (_, at) => at + 1))(
  'files of records stay whole while their fields become encrypted, no more, and the key is replaced (seed %i)',
  { timeout: 120_000 },
  async (seed) => {
    const world = await aWorld(seed);
    const { call, pick, meanwhile, turn, finish, start, saveKey } = world;
    for (let at = 0; at < 8; at += 1) await world.create();
    let isSecret = false;
    let key = 1;

    for (let round = 0; round < 4; round += 1) {
      if (pick(2)) {
        isSecret = !isSecret;
        const { uiSchemaJson } = definition(isSecret);
        const path = `${DEFINITIONS}/code/deal/schema`;
        const changed = await call('PUT', path, { uiSchemaJson });
        expect(changed.status, changed.text.slice(0, 300)).toBe(200);
        await meanwhile(async () => {
          for (let at = 0; at < 6; at += 1) await turn().catch(() => undefined);
        });
      } else {
        key += 1;
        await saveKey(key);
        const id = await start();
        await meanwhile(async () => {
          for (let at = 0; at < 6; at += 1) await turn().catch(() => undefined);
        });
        expect((await finish(id)).state).toBe('DONE');
        expect(world.kids().size).toBe(1);
      }
    }
    for (let day = 0; day < 3; day += 1) {
      world.context.clock.advance(25 * 3_600_000);
      for (let at = 0; at < 12; at += 1) await turn();
    }

    await expectWhole(world, isSecret);
  },
);
