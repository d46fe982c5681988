import { describe, expect, it } from 'vitest';
import { SWEEP_TASK } from '../../../../functions/entities/listeners.ts';
import {
  anEntitiesApi,
  contentOf,
  DEFINITIONS,
  type EntitiesApi,
  RECORDS,
} from '../entities-api.ts';

const ORDERS = `${RECORDS}/order`;
const text = { type: 'string' };
const COUNT = 60;

/** Lets each request to the table take longer than a list may. @returns how to end that */
function slowDown({ context }: EntitiesApi): () => void {
  const hooks = ['Query', 'BatchGetItem'].map((operation) =>
    context.db.before(operation, () => context.clock.advance(4_000)),
  );
  return () => {
    for (const takeOff of hooks) takeOff();
  };
}

/** Orders, each of which refers to one of the other state. */
async function slowOrders(isSlow = true): Promise<EntitiesApi> {
  const api = anEntitiesApi();
  const after = { ...text, 'x-reference': { entity: 'order', onDelete: 'none' } };
  const properties = { number: { type: 'integer' }, state: { ...text, enum: ['a', 'b'] }, after };
  const uiSchemaJson = { type: 'object', properties };
  await api.define({ code: 'order', name: 'Order', uiSchemaJson });
  const idOf = (number: number) =>
    `0000000${number % 2}-0000-7000-8000-${100_000_000_000 + number}`;
  const operations = Array.from({ length: COUNT }, (_, number) => {
    const data = { id: idOf(number), number, state: number % 2 ? 'a' : 'b' };
    return { op: 'create', data: { ...data, after: idOf((number + 1) % COUNT) } };
  });
  expect((await api.post(`${ORDERS}/bulk`, { operations })).status).toBe(200);
  if (isSlow) slowDown(api);
  return api;
}

describe('a page that ends at the limit of work', () => {
  it.each([
    ['', COUNT],
    ['&sort=-number', COUNT],
    ['&state=a', COUNT / 2],
    ['&state=b&sort=number', COUNT / 2],
    ['&count=exact', COUNT],
    ['&state=b&sort=-number', COUNT / 2],
  ])('leads on, though it is as large as the total%s', async (query, expected) => {
    const api = await slowOrders();
    const { first, seen } = await followed(api, `${ORDERS}?size=${COUNT}${query}`);
    expect(first).toMatchObject({ complete: false, totalElements: expected, last: false });
    expect(seen).toHaveLength(expected);
    expect(new Set(seen).size).toBe(expected);
  });

  it('leads on where it is nearer to the end', async () => {
    const api = await slowOrders();
    const { seen } = await followed(api, `${ORDERS}?size=25&page=2&sort=number`);
    expect(seen).toEqual(Array.from({ length: COUNT - 50 }, (_, at) => 50 + at));
  });
});

describe('an order of records whose long texts an earlier definition has written', () => {
  it.each([
    ['sort=after.number', (number: number) => (number + 1) % COUNT],
    ['id=', (number: number) => -number],
  ])('is shown to its end where the table is slow: %s', async (given, placeOf) => {
    const api = anEntitiesApi();
    const after = { ...text, 'x-reference': { entity: 'order', onDelete: 'none' } };
    const properties = { number: { type: 'integer' }, after, note: text };
    await api.define({
      code: 'order',
      name: 'Order',
      uiSchemaJson: { type: 'object', properties },
    });
    const idOf = (number: number) => `00000000-0000-7000-8000-${100_000_000_000 + number}`;
    const operations = Array.from({ length: COUNT }, (_, number) => {
      const data = { id: idOf(number), number, note: 'x'.repeat(5_000) };
      return { op: 'create', data: { ...data, after: idOf((number + 1) % COUNT) } };
    });
    expect((await api.post(`${ORDERS}/bulk`, { operations })).status).toBe(200);
    const renamed = { ...text, 'x-renamed-from': 'note' };
    const { note: _note, ...others } = properties;
    const schema = { type: 'object', properties: { ...others, remark: renamed } };
    const changed = await api.put(`${DEFINITIONS}/code/order/schema`, schema);
    expect(changed.status, changed.text).toBe(200);
    slowDown(api);

    const ids = operations.map(({ data }) => data.id).join();
    const query = given === 'id=' ? `id=${ids}` : given;
    const { seen } = await followed(api, `${ORDERS}?size=${COUNT}&fields=number&${query}`);

    const numbers = Array.from({ length: COUNT }, (_, number) => number);
    expect(seen).toEqual(numbers.toSorted((one, other) => placeOf(one) - placeOf(other)));
  });
});

describe('a condition on related records that takes too long', () => {
  it('may be tried again, and ends no job', async () => {
    const api = await slowOrders(false);
    const body = { filter: { 'after.state': 'a' }, data: { state: 'a' } };
    const started = await api.post(`${ORDERS}/bulk:update`, body);
    expect(started.status, started.text).toBe(202);
    const hurry = slowDown(api);
    const list = await api.get(`${ORDERS}?after.state=a`);
    expect(list.body).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    await api.runJobs();
    hurry();
    api.context.clock.advance(600_000);
    await api.runTask(SWEEP_TASK);
    await api.runJobs();
    const job = await api.get(String(started.headers.location));
    expect(job.body).toMatchObject({ state: 'DONE', result: { updated: COUNT / 2, failed: 0 } });
  });
});

/** Follows a list by its cursors. */
async function followed(api: EntitiesApi, path: string) {
  const seen: unknown[] = [];
  let page = await api.get(path);
  const first = page.body;
  for (let pages = 0; pages <= 2 * COUNT; pages += 1) {
    expect(page.status, page.text).toBe(200);
    seen.push(...contentOf(page).map(({ number }) => number));
    if (page.body.nextCursor === null) return { first, seen };
    page = await api.get(`${path}&cursor=${encodeURIComponent(String(page.body.nextCursor))}`);
  }
  throw new Error('The list does not end');
}
