import { describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import {
  anInterruptibleApi,
  type InterruptibleApi,
  interruptEverywhere,
} from '../deletions/interrupted.ts';
import { RECORDS } from '../entities-api.ts';
import { factsOf } from './deals.ts';

const DEALS = `${RECORDS}/deal`;
const file = { type: 'string', format: 'file', 'x-file': {} };

interface World extends InterruptibleApi {
  uploaded(text: string): Promise<string>;
  /** The record whose contract is `one`. */
  readonly path: string;
  readonly next: string;
}

async function aWorld(): Promise<World> {
  const api = anInterruptibleApi({ pauseMs: () => 0 });
  const defined = await api.define({
    ...{ code: 'deal', name: 'Deal', options: { history: true } },
    uiSchemaJson: {
      type: 'object',
      properties: { name: { type: 'string' }, contract: file, photo: file },
    },
  });
  expect(defined.status, defined.text).toBe(201);
  const uploaded = async (text: string): Promise<string> => {
    const announced = await api.post(`${DEALS}/files/uploads`, {
      ...{ field: 'contract', fileName: 'a.pdf', contentType: 'application/pdf' },
      ...factsOf(text),
    });
    expect(announced.status, announced.text).toBe(201);
    const { method, url, headers } = announced.body.upload as {
      method: string;
      url: string;
      headers: Record<string, string>;
    };
    const path = url.replace('http://api.example.com', '');
    const sent = await api.call({ method, path, headers, caller: null, body: Buffer.from(text) });
    expect(sent.status, sent.text).toBeLessThan(300);
    return String(announced.body.id);
  };
  const made = await api.post(DEALS, { contract: await uploaded('one') });
  expect(made.status, made.text).toBe(201);
  const settle = async (): Promise<void> => {
    // Until then a record may come to name the other file.
    api.context.clock.advance(25 * 3_600_000);
    await api.settle();
    // Files that went are erased once more when the links to them have ended.
    await api.settle();
  };
  const next = await uploaded('two');
  return { ...api, settle, uploaded, path: String(made.headers.location), next };
}

/** Records have the files that they name, and nothing else is stored. */
function expectWhole(world: World, name: string): void {
  const items = world.context.db.items();
  const bound = items.filter(({ sk }) => String(sk).startsWith('DYN_FILE#'));
  const records = items.filter(({ pk, sk }) => String(pk).startsWith('DYN_RECORD#') && sk === 'R');
  const named = records.flatMap((record) => {
    const { contract, photo } = JSON.parse(String(record.v)) as Record<string, string>;
    return [contract, photo].filter((id) => id).map((id) => `${record.pk}/${id}`);
  });
  expect(bound.map(({ pk, sk }) => `${pk}/${String(sk).slice(9)}`).sort(), name).toEqual(
    named.sort(),
  );
  const objects = [...world.files.keys()]
    .filter((path) => path.includes('attachments'))
    .map((path) => path.split('/').at(-1));
  expect(objects.sort(), name).toEqual(bound.map(({ sk }) => String(sk).slice(9)).sort());
}

describe('a process that ends', () => {
  it.each<[string, (world: World) => Promise<ApiAnswer>]>([
    ['when a record takes a file', ({ post, next }) => post(DEALS, { contract: next })],
    ['when a file replaces another', ({ put, path, next }) => put(path, { contract: next })],
    ['when a file is taken away', ({ put, path }) => put(path, { contract: null })],
    [
      'when a file moves',
      async ({ put, path, get }) =>
        put(path, { contract: null, photo: (await get(path)).body.contract }),
    ],
    ['when a record goes for good', ({ remove, path }) => remove(`${path}?purge=true`)],
    ['when a record is deleted', ({ remove, path }) => remove(path)],
    [
      'when several are created',
      ({ post, next }) =>
        post(`${DEALS}/bulk`, {
          operations: [
            { op: 'create', data: { contract: next } },
            { op: 'create', data: { name: 'x' } },
          ],
        }),
    ],
    [
      'when the entity goes',
      ({ remove }) => remove('/api/v1/entity-definitions/code/deal?force=true&purge=true'),
    ],
  ])('%s leaves whole records and no other file', async (_when, call) => {
    const requests = await interruptEverywhere(aWorld, call, async (world, _answer, name) => {
      expectWhole(world, name);
    });
    expect(requests).toBeGreaterThan(1);
  });
});
