import { expect, it } from 'vitest';
import { propertyRuns } from '../../../helpers/property-runs.ts';
import { seededRandom } from '../../../helpers/seeded-random.ts';
import { contentOf, RECORDS } from '../entities-api.ts';
import { anInterruptibleApi, expectSettled, type InterruptibleApi } from './interrupted.ts';

const UNITS = `${RECORDS}/unit`;
const NOTES = `${RECORDS}/note`;
const text = { type: 'string' };
const unit = (onDelete: string) => ({ ...text, 'x-reference': { entity: 'unit', onDelete } });

interface Stored {
  readonly id: string;
  readonly entity: string;
  readonly isLive: boolean;
  readonly parentId: unknown;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Units in a tree that refer to each other, and notes that refer to units. */
async function aWorld(): Promise<InterruptibleApi> {
  const api = anInterruptibleApi();
  const state = { ...text, enum: ['a', 'b'] };
  const properties = { name: text, key: { ...text, 'x-unique': true }, state };
  await api.define({
    code: 'unit',
    name: 'Unit',
    hierarchical: true,
    options: { history: true },
    uiSchemaJson: { type: 'object', properties: { ...properties, boss: unit('restrict') } },
  });
  const refersTo = { strict: unit('restrict'), loose: unit('setNull') };
  const uiSchemaJson = { type: 'object', properties: { name: text, ...refersTo } };
  await api.define({ code: 'note', name: 'Note', uiSchemaJson });
  return api;
}

/** Every record as it is stored. */
const stored = ({ items }: InterruptibleApi): readonly Stored[] =>
  items('DYN_RECORD#')
    .filter(({ sk }) => sk === 'R')
    .map(({ pk, deletedAt, parentId, v }) => {
      const [, entity = '', id = ''] = String(pk).split('#');
      const isLive = deletedAt === undefined;
      return { id, entity, isLive, parentId, values: JSON.parse(String(v)) };
    });

/** A call by chance, about records that are there. */
function aCall(api: InterruptibleApi, random: () => number): () => Promise<unknown> {
  const { post, put, remove } = api;
  const all = stored(api);
  const pick = (entity: string, isLive: boolean): string => {
    const some = all.filter((each) => each.entity === entity && each.isLive === isLive);
    return some[Math.floor(random() * some.length)]?.id ?? '01900000-0000-7000-8000-000000000000';
  };
  const maybe = (share: number, values: () => object) => (random() < share ? values() : {});
  const one = pick('unit', true);
  const other = pick('unit', true);
  const unitValues = {
    name: `u${Math.floor(random() * 20)}`,
    state: random() < 0.5 ? 'a' : 'b',
    ...maybe(0.5, () => ({ key: `k${Math.floor(random() * 20)}` })),
    ...maybe(0.2, () => ({ boss: other })),
    ...maybe(0.7, () => ({ parentId: pick('unit', true) })),
  };
  const loose = maybe(0.5, () => ({ loose: other }));
  const noteValues = { name: 'n', ...loose, ...maybe(0.2, () => ({ strict: one })) };
  const calls = [
    () => post(UNITS, unitValues),
    () => post(UNITS, unitValues),
    () => post(NOTES, noteValues),
    () => put(`${UNITS}/${one}`, unitValues),
    () => put(`${NOTES}/${pick('note', true)}`, noteValues),
    () => remove(`${UNITS}/${one}`),
    () => remove(`${UNITS}/${one}?cascade=true`),
    () => remove(`${UNITS}/${one}?cascade=true&purge=true`),
    () => remove(`${UNITS}/${pick('unit', false)}?purge=true`),
    () => remove(`${NOTES}/${pick('note', true)}`),
    () => post(`${UNITS}/${pick('unit', false)}/restore`),
    () => post(`${NOTES}/${pick('note', false)}/restore`),
    () => api.runJobs(),
  ];
  return calls[Math.floor(random() * calls.length)] ?? api.runJobs;
}

/** Calls at the same time, of whose requests to the table some fail or are answered to nobody; then all ends. */
async function live(api: InterruptibleApi, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const { db } = api.context;
  for (let at = 0; at < 15; at += 1) await aCall(api, random)();
  // So that transactions meet at records, and those that refer to them announce themselves.
  db.holdTransactions(1);
  for (let round = 0; round < 10; round += 1) {
    const faults = ['conflict', 'throttling', 'network', 'answer-lost'] as const;
    if (random() < 0.6) db.failAtRandom({ share: 0.08, seed: seed * 100 + round, faults });
    const calls = Array.from({ length: 5 }, () => aCall(api, random));
    await Promise.all(calls.map((call) => call().catch(() => undefined)));
    db.stopFailing();
  }
  await api.settle();
}

/** Nothing refers to what is gone, and what is counted, listed and kept is what is there. */
async function expectWhole(api: InterruptibleApi, name: string): Promise<void> {
  const { get, items } = api;
  const all = stored(api);
  const ids = new Set(all.filter(({ isLive }) => isLive).map(({ id }) => id));
  const dangling = all.filter(({ isLive, parentId, values: { boss, strict, loose } }) => {
    const targets = [parentId, boss, strict, loose].filter((target) => target !== undefined);
    return isLive && targets.some((target) => !ids.has(String(target)));
  });
  expect(dangling, name).toEqual([]);
  for (const entity of ['unit', 'note']) {
    const own = all.filter((each) => each.entity === entity);
    const path = `${RECORDS}/${entity}`;
    const shown = [await get(`${path}?size=100`), await get(`${path}/trash?size=100`)];
    const counts = [own.filter(({ isLive }) => isLive).length, own.filter((e) => !e.isLive).length];
    expect(
      shown.map(contentOf).map(({ length }) => length),
      name,
    ).toEqual(counts);
    expect(
      shown.map(({ body }) => body.totalElements),
      name,
    ).toEqual(counts);
  }
  const units = all.filter(({ entity, isLive }) => entity === 'unit' && isLive);
  const claimed = units.filter(({ values }) => values.key !== undefined).map(({ id }) => id);
  expect(
    items('DYN_UNIQUE#unit#')
      .map(({ rid }) => rid)
      .sort(),
    name,
  ).toEqual(claimed.sort());
  const known = new Set(all.map(({ id }) => id));
  const histories = items('DYN_HISTORY#unit#').map(({ pk }) => String(pk).split('#')[2] ?? '');
  expect(
    histories.filter((id) => !known.has(id)),
    name,
  ).toEqual([]);
  for (const state of ['a', 'b']) {
    const { body } = await get(`${UNITS}/count?state=${state}`);
    expect(body.count, name).toBe(units.filter(({ values }) => values.state === state).length);
  }
}

it('deletions, restores and purges among other calls and faults leave a whole world', async () => {
  for (let seed = 1; seed <= propertyRuns(6); seed += 1) {
    const api = await aWorld();
    await live(api, seed);
    expectSettled(api, `seed ${seed}`);
    await expectWhole(api, `seed ${seed}`);
  }
}, 120_000);
