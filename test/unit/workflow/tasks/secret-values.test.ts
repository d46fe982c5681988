import { describe, expect, it } from 'vitest';
import { aModel, aTask } from '../../../helpers/cmmn/cmmn.ts';
import { aBusinessApi, aLoan } from './business-api.ts';
import { ann, TASKS } from './tasks-api.ts';

const REVIEW = aModel(
  aTask('Review', '', 'flowable:candidateGroups="clerks"') + aTask('Stay', '', ''),
);
const PIN = { pin: { type: 'string', writeOnly: true } };
const formData = {
  city: 'Huế',
  tax: 'secret-123',
  pin: 'secret-456',
  remark: 'none of the entity',
};

describe('the draft of a form for a business record', () => {
  it('leaves out what the record encrypts or never shows, and says so', async () => {
    const api = await aBusinessApi(REVIEW, { definition: aLoan({}, PIN) });
    const started = await api.start(await api.aRecord({ name: 'Lan' }));
    const path = `${TASKS}/${api.taskOf(started)}`;

    const saved = await api.post(`${path}/save-draft`, { formData }, ann);
    const read = await api.call({ method: 'GET', path: `${path}/draft`, caller: ann });

    const kept = { city: 'Huế', remark: 'none of the entity' };
    expect(saved.status).toBe(200);
    expect(saved.body.draft).toMatchObject({ formData: kept, leftOut: ['tax', 'pin'] });
    expect(read.body).toEqual(saved.body);
    expect(JSON.stringify(api.context.db.items())).not.toMatch(/secret-/);
  });

  it('leaves the same out of the variables beside the form', async () => {
    const api = await aBusinessApi(REVIEW, { definition: aLoan({}, PIN) });
    const started = await api.start(await api.aRecord({ name: 'Lan' }));
    const path = `${TASKS}/${api.taskOf(started)}/save-draft`;
    const variables = { tax: 'secret-123', pin: 'secret-456', note: 'for the case' };

    const { body } = await api.post(path, { formData: {}, variables }, ann);

    const kept = { note: 'for the case' };
    expect(body.draft).toMatchObject({ variables: kept, leftOut: ['tax', 'pin'] });
    expect(body.draft).toHaveProperty('variables', kept);
    expect(JSON.stringify(api.context.db.items())).not.toMatch(/secret-/);
  });

  it('is kept whole where the type is of no entity', async () => {
    const api = await aBusinessApi(REVIEW);
    const started = await api.start('L-7', { entityType: 'ledger' });
    const path = `${TASKS}/${api.taskOf(started)}/save-draft`;

    const { body } = await api.post(path, { formData }, ann);

    expect(body.draft).toMatchObject({ formData });
    expect(body.draft).not.toHaveProperty('leftOut');
  });

  it('is refused where nobody can tell what is secret', async () => {
    const off = { 'entities.records': false, 'entities.record-merges': false };
    const api = await aBusinessApi(REVIEW, { ports: { ...off, 'settings.values': true } });
    const started = await api.start('01890000-0000-7000-8000-000000000000');
    const path = `${TASKS}/${api.taskOf(started)}/save-draft`;

    const { status, body } = await api.post(path, { formData }, ann);

    expect([status, body.code]).toEqual([422, 'MODULE_OFF']);
  });
});

describe('the completion of a task on a business record', () => {
  it('keeps what the record encrypts or never shows out of the variables of the case', async () => {
    const api = await aBusinessApi(REVIEW, { definition: aLoan({}, PIN) });
    const started = await api.start(await api.aRecord({ name: 'Lan' }));
    const secrets = { tax: 'secret-123', pin: 'secret-456' };
    const variables = { ...secrets, note: 'for the case' };

    const given = { formData, variables, localVariables: { ...secrets, mine: 1 } };
    const { status } = await api.complete(api.taskOf(started), given);

    expect(status).toBe(200);
    expect((await api.getCase(started.caseInstanceId)).variables).toEqual({
      city: 'Huế',
      remark: 'none of the entity',
      note: 'for the case',
    });
    const ofCases = api.context.db
      .items()
      .filter(({ pk }) => /^(CASE|TASK|message)/.test(String(pk)));
    expect(ofCases.length).toBeGreaterThan(0);
    expect(JSON.stringify(ofCases)).not.toMatch(/secret-/);
  });

  it('takes variables of any name where entities are off', async () => {
    const off = { 'entities.records': false, 'entities.record-merges': false };
    const api = await aBusinessApi(REVIEW, { ports: { ...off, 'settings.values': true } });
    const started = await api.start('01890000-0000-7000-8000-000000000000');

    const { status } = await api.complete(api.taskOf(started), { variables: { tax: 'x' } });

    expect(status).toBe(200);
    expect((await api.getCase(started.caseInstanceId)).variables).toEqual({ tax: 'x' });
  });
});
