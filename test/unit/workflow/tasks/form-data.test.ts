import { describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { RECORDS } from '../../entities/entities-api.ts';
import { aBusinessApi, aLoan } from './business-api.ts';
import { ann, type Body, idsOf, TASKS } from './tasks-api.ts';

const REVIEW = aModel(
  aTask('Review', '', 'flowable:candidateGroups="clerks"') + aTask('Stay', '', ''),
);
const EACH = '<itemControl><repetitionRule flowable:collectionVariable="all"/></itemControl>';
const MANY = aModel(aTask('Each', EACH, 'flowable:candidateGroups="clerks"') + aTask('Stay'));
const lan = { name: 'Lan', number: 'L-1' };

describe('formData of a completion', () => {
  it('enters the business record in the same transaction, in the name of the user', async () => {
    const api = await aBusinessApi(REVIEW);
    const friend = await api.aRecord({ name: 'Mai' });
    const id = await api.aRecord(lan);
    const started = await api.start(id);
    const story = 'long '.repeat(2_000);
    api.context.db.meter.reset();

    const form = { city: 'Huế', amount: 7, number: 'L-2', tax: 'secret-123', story, friend };
    const { status, body } = await api.complete(api.taskOf(started), {
      formData: { ...form, name: null, remark: 'not of the entity' },
      variables: { name: 'x' },
    });

    expect([status, body.errors]).toEqual([
      400,
      [expect.objectContaining({ pointer: '/formData/name' })],
    ]);
    const done = await api.complete(api.taskOf(started), {
      formData: { ...form, remark: 'not of the entity' },
    });
    expect(done.status).toBe(200);
    const { requests } = api.context.db.meter.total();
    const commits = requests.filter((request) => request.startsWith('TransactWriteItems'));
    expect(commits).toHaveLength(1);
    expect(await api.record(id)).toMatchObject({ ...lan, ...form, updatedBy: 'ann', version: 2 });
    expect(await api.record(id)).not.toHaveProperty('remark');
    expect(await api.recordHistory(id)).toMatchObject([{ by: 'ann', version: 2 }, { version: 1 }]);
    const { variables } = await api.getCase(started.caseInstanceId);
    expect(variables).toEqual({ ...form, tax: undefined, remark: 'not of the entity' });
    const stored = JSON.stringify(api.context.db.items());
    expect(stored).not.toContain('secret-123');
    const found = await api.entities.get(`${RECORDS}/loan?city=Huế`);
    expect(found.body.numberOfElements).toBe(1);
  });

  it('needs no right on the records, and tells others of the change', async () => {
    const api = await aBusinessApi(REVIEW);
    const id = await api.aRecord(lan);
    const started = await api.start(id);

    const direct = await api.entities.call({
      ...{ method: 'PATCH', path: `${RECORDS}/loan/${id}`, body: { city: 'Vinh' } },
      caller: ann,
    });
    await api.complete(api.taskOf(started), { formData: { city: 'Vinh' } });

    expect(direct.status).toBe(403);
    expect(await api.record(id)).toMatchObject({ city: 'Vinh' });
    const events = api.context.bus.events.filter(({ type }) => type === 'dynamic-record');
    expect(events.at(-1)?.envelope.data).toMatchObject({ action: 'UPDATED', id, actor: 'ann' });
  });

  it.each([
    [{ amount: 0 }, 400, 'VALIDATION_FAILED', '/formData/amount'],
    [
      { friend: '01890000-0000-7000-8000-000000000000' },
      400,
      'REFERENCE_NOT_FOUND',
      '/formData/friend',
    ],
    [{ number: 'taken' }, 409, 'UNIQUE_VIOLATION', '/formData/number'],
  ])('is refused by the rules of the record: %j', async (formData, status, code, pointer) => {
    const api = await aBusinessApi(REVIEW);
    await api.aRecord({ name: 'Other', number: 'taken' });
    const id = await api.aRecord(lan);
    const started = await api.start(id);

    for (const headers of [{}, { 'idempotency-key': 'k' }]) {
      const answer = await api.complete(api.taskOf(started), { formData }, ann, headers);

      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(answer.body.errors).toMatchObject([{ pointer }]);
    }
    expect(await api.record(id)).toMatchObject({ ...lan, version: 1 });
    expect((await api.getCase(started.caseInstanceId)).variables).toEqual({});
  });

  it('finds the record gone, and the task can be completed without', async () => {
    const api = await aBusinessApi(REVIEW);
    const id = await api.aRecord(lan);
    const started = await api.start(id);
    await api.entities.remove(`${RECORDS}/loan/${id}`);
    const task = api.taskOf(started);

    const gone = await api.complete(task, { formData: { city: 'Vinh' } });
    const done = await api.complete(task, { variables: { city: 'Vinh' } });

    expect([gone.status, gone.body.code]).toEqual([409, 'BUSINESS_RECORD_GONE']);
    expect(done.status).toBe(200);
  });

  it('stays in the case where the type is of no entity', async () => {
    const api = await aBusinessApi(REVIEW);
    const started = await api.start('L-7', { entityType: 'ledger' });

    const { status } = await api.complete(api.taskOf(started), { formData: { city: 'Vinh' } });

    expect(status).toBe(200);
    expect((await api.getCase(started.caseInstanceId)).variables).toEqual({ city: 'Vinh' });
  });

  it('is refused where entities are off, because it would be lost for the record', async () => {
    const off = { 'entities.records': false, 'entities.record-merges': false };
    const api = await aBusinessApi(REVIEW, { ports: { ...off, 'settings.values': true } });
    const task = api.taskOf(await api.start('01890000-0000-7000-8000-000000000000'));

    const refused = await api.complete(task, { formData: { city: 'Vinh' } });
    const done = await api.complete(task, {});

    expect([refused.status, refused.body.code]).toEqual([422, 'MODULE_OFF']);
    expect(done.status).toBe(200);
  });

  it('asks for no version where the entity demands one', async () => {
    const definition = aLoan({ options: { requireIfMatch: true } });
    const api = await aBusinessApi(REVIEW, { definition });
    const id = await api.aRecord(lan);

    const task = api.taskOf(await api.start(id));

    expect((await api.complete(task, { formData: { city: 'Vinh' } })).status).toBe(200);
    expect(await api.record(id)).toMatchObject({ city: 'Vinh' });
  });

  it('arrives for each of the tasks of a case that are completed at once, and beside other changes', async () => {
    const api = await aBusinessApi(MANY);
    const id = await api.aRecord(lan);
    const started = await api.start(id, { variables: { all: [1, 2, 3, 4] } });
    const ids = idsOf((started.tasks as readonly Body[]).filter(({ name }) => name === 'Each'));
    const fields = ['city', 'story', 'tax', 'number'];
    api.context.db.holdTransactions(1);

    const answers = await Promise.all([
      ...ids.map((task, at) => api.complete(task, { formData: { [fields[at] ?? '']: `v${at}` } })),
      api.entities.call({
        ...{ method: 'PATCH', path: `${RECORDS}/loan/${id}`, body: { amount: 5 } },
      }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const values = { city: 'v0', story: 'v1', tax: 'v2', number: 'v3', amount: 5 };
    expect(await api.record(id)).toMatchObject({ ...values, version: 6 });
  });

  it('goes through POST /tasks/bulk', async () => {
    const api = await aBusinessApi(MANY);
    const id = await api.aRecord(lan);
    const started = await api.start(id, { variables: { all: [1, 2] } });
    const ids = idsOf((started.tasks as readonly Body[]).filter(({ name }) => name === 'Each'));
    const bulk = (formData: object) =>
      api.post(`${TASKS}/bulk`, { action: 'complete', taskIds: ids, formData }, ann);

    const refused = await bulk({ amount: 0 });
    const done = await bulk({ amount: 3 });

    expect(refused.body.results).toMatchObject([
      { status: 400, code: 'VALIDATION_FAILED' },
      { status: 400, code: 'VALIDATION_FAILED' },
    ]);
    expect(done.body.results).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(await api.record(id)).toMatchObject({ amount: 3, updatedBy: 'ann' });
  });
});

describe('a completion of which record and case have many writes', () => {
  const codes = Array.from({ length: 38 }, (_, at) => `f${at}`);
  const wide = {
    ...Object.fromEntries(codes.map((code) => [code, { type: 'string' }])),
    friends: { type: 'array', items: { type: 'string' }, 'x-reference': { entity: 'loan' } },
  };
  const each = (text: string) => Object.fromEntries(codes.map((code) => [code, text]));
  const candidates = Array.from({ length: 22 }, (_, at) => `u${at}`).join(',');
  const model = aModel(
    `${aTask('Review', '', `flowable:candidateGroups="clerks" flowable:candidateUsers="${candidates}"`)}${aTask('Stay')}`,
  );

  async function aWideLoan() {
    const api = await aBusinessApi(model, { definition: aLoan({}, wide) });
    const id = await api.aRecord({ ...lan, ...each('a') });
    const task = api.taskOf(await api.start(id));
    const complete = (formData: Body) =>
      api.complete(task, { formData, comment: 'fine' }, ann, { 'idempotency-key': 'wide' });
    const rows = () =>
      api.context.db.items().filter(({ pk }) => String(pk).startsWith('TASKIDX##USER#u')).length;
    return { ...api, id, complete, rows };
  }

  it('takes rows of a wide record apart', async () => {
    const api = await aWideLoan();

    const { status } = await api.complete(each('b'));

    expect([status, api.rows()]).toEqual([200, 0]);
    expect(await api.record(api.id)).toMatchObject({ ...each('b'), version: 2 });
    const found = await api.entities.get(`${RECORDS}/loan?f7=b`);
    expect(found.body.numberOfElements).toBe(1);
  });

  it('takes rows of the task apart where the record needs the transaction', async () => {
    const api = await aWideLoan();
    const friends: string[] = [];
    for (let at = 0; at < 45; at += 1) friends.push(await api.aRecord({ name: `${at}` }));

    const { status } = await api.complete({ friends });

    expect([status, api.rows()]).toEqual([200, 0]);
    expect(await api.record(api.id)).toMatchObject({ friends, version: 2 });
  });
});
