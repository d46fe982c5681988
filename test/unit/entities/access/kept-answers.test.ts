import { describe, expect, it } from 'vitest';
import type { PermissionDecision } from '../../../../shared/ports/security.ts';
import { storeEncryptionKey } from '../encryption-key.ts';
import { anEntitiesApi, contentOf, RECORDS } from '../entities-api.ts';

const PEOPLE = `${RECORDS}/person`;
const headers = { 'idempotency-key': 'k1' };
const text = 'x'.repeat(200_000);
const values = { name: 'An', taxCode: '8000-1234', notes: text, story: text };

async function withPeople() {
  let decision: boolean | PermissionDecision = true;
  const api = anEntitiesApi({
    host: {
      permissionEvaluator: { hasPermission: (_who, target) => target !== 'people' || decision },
    },
  });
  await storeEncryptionKey(api.context);
  await api.define({
    ...{ code: 'person', name: 'Person', apiPath: 'people', requirePermission: true },
    uiSchemaJson: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        taxCode: { type: 'string', 'x-encrypted': true },
        notes: { type: 'string', format: 'textarea' },
        story: { type: 'string', format: 'textarea' },
      },
    },
  });
  return {
    ...api,
    grant: (given: typeof decision) => {
      decision = given;
    },
    storedText: () => JSON.stringify(api.context.db.items()),
  };
}

describe('what is kept of a call with an Idempotency-Key', () => {
  it('holds no value of the record, and answers as before', async () => {
    const { post, context } = await withPeople();

    const first = await post(PEOPLE, values, { headers });
    const again = await post(PEOPLE, values, { headers });
    const kept = context.db.items().filter(({ type }) => type === 'idempotency');

    expect(first.status, first.text).toBe(201);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers).toMatchObject({
      etag: first.headers.etag,
      location: first.headers.location,
      'idempotency-replayed': 'true',
    });
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toMatch(/8000-1234|An|xxx/);
  });

  it('leaves a value of an encrypted field nowhere in the clear', async () => {
    const { post, remove, get, storedText } = await withPeople();

    const made = await post(PEOPLE, values, { headers });
    await remove(`${PEOPLE}/${made.body.id}`);
    const restored = await post(`${PEOPLE}/${made.body.id}/restore`, undefined, { headers });

    expect(restored.body).toMatchObject({ taxCode: '8000-1234' });
    expect((await get(`${PEOPLE}/${made.body.id}?fields=taxCode`)).text).toContain('8000-1234');
    expect(storedText()).not.toContain('8000-1234');
  });

  it('is shown as far as the caller may see by then', async () => {
    const { post, get, grant } = await withPeople();
    await post(PEOPLE, values, { headers });

    grant({ allowed: true, fields: ['name'] });
    const narrowed = await post(PEOPLE, values, { headers });
    grant({ allowed: true, rowFilter: { name: 'Bình' } });
    const outOfSight = await post(PEOPLE, values, { headers });
    grant(false);
    const refused = await post(PEOPLE, values, { headers });
    grant(true);

    expect(narrowed.body).toMatchObject({ name: 'An' });
    expect(narrowed.body).not.toHaveProperty('taxCode');
    expect(outOfSight.body).not.toHaveProperty('name');
    expect(outOfSight.headers['idempotency-replayed']).toBe('true');
    expect(refused.status).toBe(403);
    expect(contentOf(await get(PEOPLE))).toHaveLength(1);
  });

  it('answers for a record that has changed or is gone', async () => {
    const { post, put, remove } = await withPeople();
    const { body: first } = await post(PEOPLE, values, { headers });
    const path = `${PEOPLE}/${first.id}`;

    await put(path, { name: 'Bình' });
    const changed = await post(PEOPLE, values, { headers });
    await remove(`${path}?purge=true`);
    const gone = await post(PEOPLE, values, { headers });

    expect(changed).toMatchObject({ status: 201, body: { name: 'Bình', version: 2 } });
    expect(changed.headers.etag).toBe('"2"');
    expect(gone).toMatchObject({ status: 201, body: { id: first.id, version: 1 } });
    expect(gone.headers).toMatchObject({ etag: '"1"', location: path });
  });
});
