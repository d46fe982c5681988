import { describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { aCasesApi, CASES } from './cases-api.ts';

const FETCH = '/api/v1/workflow/cmmn/external-work:fetch';
const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const MODEL = aModel(`${aTask('Stay')}<planItem id="piWork" definitionRef="Work">${EACH}</planItem>
<task id="Work" name="Work" flowable:type="external-worker" flowable:topic="post">
<extensionElements><flowable:in source="document" target="document"/></extensionElements></task>`);
const many = (count: number) => Array.from({ length: count }, (_, at) => at);

async function aCasesWithWork() {
  const api = await aCasesApi([MODEL]);
  const fetch = async () => {
    const { status, body } = await api.post(FETCH, { topic: 'post', workerId: 'w1', max: 50 });
    return { status, works: (body.works ?? []) as readonly { readonly id: string }[] };
  };
  return { ...api, fetch };
}

/** A case with so many pieces of work. */
async function someWork(count: number, document = 'x') {
  const api = await aCasesWithWork();
  await api.start({ variables: { all: many(count), document } });
  return api;
}

describe('POST /workflow/cmmn/external-work:fetch', () => {
  it('finds free work behind any number of older pieces that others have', async () => {
    const { db, fetch } = await someWork(3);
    const taken = many(1_200).map((at) => `0-${at}`);
    db.load(taken.map((id) => ({ pk: 'WORK##TOPIC#post', sk: id })));
    const leaseUntil = '2999-01-01T00:00:00.000Z';
    db.load(taken.map((id) => ({ pk: `WORK#${id}`, sk: 'WORK', id, leaseUntil, json: '{}' })));

    const { works } = await fetch();

    expect(works).toHaveLength(3);
  });

  it.each([
    ['case', ''],
    ['task', '/plan-items/Work'],
  ])('hands out nothing of a %s that is suspended, until it is resumed', async (_, part) => {
    const { db, fetch, post, start } = await aCasesWithWork();
    const id = await start({ variables: { all: [1], document: 'x' } });
    const act = (verb: string) => post(`${CASES}/${id}${part}:${verb}`, {});

    const suspended = await act('suspend');
    const resting = await fetch();
    await act('resume');
    const resumed = await fetch();
    await act('suspend');
    await post(`${CASES}/${id}:terminate`, {});

    expect(suspended.status).toBe(200);
    expect([resting.works, resumed.works.length]).toEqual([[], 1]);
    expect(db.items().filter(({ pk }) => String(pk).startsWith('WORK#'))).toEqual([]);
  });

  it('reads about as much as it hands out, however much is waiting', async () => {
    const { db, fetch } = await someWork(2);
    const waiting = many(600).map((at) => `1-${at}`);
    const variables = JSON.stringify({ document: 'x'.repeat(8_000) });
    db.load(waiting.map((id) => ({ pk: 'WORK##TOPIC#post', sk: id })));
    const facts = { tenantCode: '', topic: 'post', version: 1, retriesLeft: 3, json: variables };
    db.load(waiting.map((id) => ({ pk: `WORK#${id}`, sk: 'WORK', id, ...facts })));

    const { readUnits } = await db.meter.costOf(fetch);

    expect(readUnits).toBeLessThan(250);
  });

  it('leases no more than its answer has room for', async () => {
    const { fetch } = await someWork(30, 'ă'.repeat(120_000));

    const answers = [await fetch(), await fetch(), await fetch()];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ids = answers.flatMap(({ works }) => works.map(({ id }) => id));
    expect(new Set(ids).size).toBe(30);
    expect(ids).toHaveLength(30);
  });
});

describe('POST /workflow/cmmn/external-work/{id}:complete', () => {
  const WORK = FETCH.replace(':fetch', '');

  it.each(['complete', 'fail'])(
    'is lost by a worker whose lease goes to another one meanwhile: %s',
    async (act) => {
      const { db, context, fetch, post } = await someWork(1);
      const { works } = await fetch();
      const [{ id = '' } = {}] = works;
      const end = (workerId: string) =>
        post(`${WORK}/${id}:${act}`, { workerId, ...(act === 'fail' && { retries: 0 }) });
      const off = db.before('TransactWriteItems', async () => {
        off();
        context.machineClock.advance(3_600_000);
        await post(FETCH, { topic: 'post', workerId: 'w2', max: 1, leaseMs: 60_000 });
      });

      const late = await end('w1');
      const other = await end('w2');

      expect([late.status, late.body.code]).toEqual([409, 'LEASE_LOST']);
      expect(other.status).toBeLessThan(300);
      expect(db.items().filter(({ pk }) => String(pk).startsWith('WORK#'))).toEqual([]);
    },
  );
});

describe('POST /workflow/cmmn/external-work/{id}:fail', () => {
  it('takes the work from who gives it back, also for the pause before it is handed out again', async () => {
    const { context, fetch, post } = await someWork(1);
    const { works } = await fetch();
    const [{ id = '' } = {}] = works;
    const act = (verb: string, more: object = {}) =>
      post(`${FETCH.replace(':fetch', '')}/${id}:${verb}`, { workerId: 'w1', ...more });

    const failed = await act('fail', { retryAfterMs: 60_000 });
    const late = [await act('complete'), await act('fail')];
    const pausing = await fetch();
    context.machineClock.advance(60_000);
    const again = await fetch();

    expect(failed.body).toEqual({ retriesLeft: 2 });
    expect(late.map(({ body }) => body.code)).toEqual(['LEASE_LOST', 'LEASE_LOST']);
    expect(pausing.works).toEqual([]);
    expect(again.works).toMatchObject([{ id, retriesLeft: 2 }]);
  });
});
