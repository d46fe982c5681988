import { beforeAll, describe, expect, it } from 'vitest';
import { aCustomerEntity, anEntitiesApi, type EntitiesApi, RECORDS } from '../entities-api.ts';

let api: EntitiesApi;
beforeAll(async () => {
  api = anEntitiesApi();
  await api.define(aCustomerEntity());
});

const refusal = async (body: object) => {
  const answer = await api.post(`${RECORDS}/customer`, body);
  const [error] = answer.body.errors as [{ pointer: string; detail: string }];
  return { status: answer.status, ...error, code: answer.body.code };
};

describe('a refused record', () => {
  it.each([
    [{ dueDate: '1.3.2026' }, '/dueDate', 'must match format "date", such as 2026-03-01'],
    [{ seenAt: 'now' }, '/seenAt', 'must match format "date-time", such as 2026-03-01T09:30:00Z'],
    [{ email: 'mai' }, '/email', 'must match format "email", such as mai@example.com'],
    [{ price: 'x' }, '/price', 'must match format "decimal", such as 12.50'],
  ])('shows for %j what the format looks like', async (values, pointer, detail) => {
    expect(await refusal({ name: 'An', ...values })).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      pointer,
      detail,
    });
  });

  it('says that a field cannot be encrypted without a key', async () => {
    const properties = { tax: { type: 'string', 'x-encrypted': true } };
    const uiSchemaJson = { type: 'object', properties };
    await api.define({ code: 'taxed', name: 'Taxed', uiSchemaJson });

    const answer = await api.post(`${RECORDS}/taxed`, { tax: '1' });

    expect(answer).toMatchObject({ status: 409, body: { code: 'ENCRYPT_KEY_MISSING' } });
  });

  it('names the field that an unknown one is nearest to', async () => {
    expect(await refusal({ name: 'An', stauts: 'open' })).toMatchObject({
      status: 400,
      code: 'UNKNOWN_FIELD',
      pointer: '/stauts',
      detail: 'is unknown; did you mean "status"?',
    });
  });
});
