import { describe, expect, it } from 'vitest';
import { createNotesModule } from '../../../examples/notes-module/module.ts';
import { type ApiRequest, aContext, connect } from '../../helpers/world/a-context.ts';
import { aCustomerEntity, anEntitiesApi, RECORDS } from '../entities/entities-api.ts';

const NOTES = '/api/v1/notes';
const mai = { name: 'Mai', email: 'mai@example.com' };

/** The notes module beside a customer, in functions of their own over one table. */
async function aCustomer() {
  const entities = anEntitiesApi();
  await entities.define(aCustomerEntity());
  const { body } = await entities.post(`${RECORDS}/customer`, mai);
  await entities.post(`${RECORDS}/customer`, { name: 'Lan', email: 'lan@example.com' });
  const about = { entity: 'customer', id: String(body.id) };
  const context = aContext({
    module: 'notes',
    svc: { mq: { transport: 'broker', 'app-code': 'shop', relay: { enabled: true } } },
    besides: entities.context,
  });
  const notes = connect(
    (given) =>
      createNotesModule({ ...given, config: { ...given.config, notes: { maxLength: 50 } } }),
    context,
  );
  return {
    about,
    add: (body: object, more: Partial<ApiRequest> = {}) =>
      notes.call({ method: 'POST', path: NOTES, body, ...more }),
    customer: async () => (await entities.get(`${RECORDS}/customer/${about.id}`)).body,
    stored: () => context.db.items().filter(({ type }) => type === 'note').length,
  };
}

describe('a note about a record', () => {
  it('changes the record with it', async () => {
    const { add, about, customer, stored } = await aCustomer();

    const added = await add({ text: 'Moved', about: { ...about, change: { city: 'Vinh' } } });

    expect(added).toMatchObject({ status: 201, body: { text: 'Moved', about } });
    expect(await customer()).toMatchObject({ city: 'Vinh', version: 2 });
    expect(stored()).toBe(1);
  });

  it.each([
    [{ colour: 'red' }, 400, 'UNKNOWN_FIELD'],
    [{ email: 'lan@example.com' }, 409, 'UNIQUE_VIOLATION'],
  ])('is not added when its change %j is refused', async (change, status, code) => {
    const { add, about, customer, stored } = await aCustomer();

    const added = await add({ text: 'No', about: { ...about, change } });

    expect(added).toMatchObject({ status, body: { code } });
    expect(await customer()).toMatchObject({ ...mai, version: 1 });
    expect(stored()).toBe(0);
  });

  it('is not added about a record that the caller does not see', async () => {
    const { add, about, stored } = await aCustomer();

    const added = await add({ text: 'No', about: { ...about, entity: 'nobody' } });

    expect(added).toMatchObject({ status: 404, body: { code: 'ENTITY_NOT_FOUND' } });
    expect(stored()).toBe(0);
  });
});
