import { describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import { DEALS, deals, factsOf } from '../attachments/deals.ts';
import { aCustomerEntity, anEntitiesApi, RECORDS } from '../entities-api.ts';

const headers = { 'idempotency-key': 'k1' };
const TWO_MINUTES = 120_000;

describe('a file of a record that is announced twice with the same key', () => {
  it('is one, with a new link', async () => {
    const api = await deals();
    const first = await api.announce('pdf', {}, { headers });
    api.context.clock.advance(TWO_MINUTES);
    const again = await api.announce('pdf', {}, { headers });

    expect(again.status, again.text).toBe(201);
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      location: first.headers.location,
    });
    expect(again.body).toMatchObject({ id: first.body.id, state: 'WAITING' });
    const expiryOf = ({ body }: typeof first) =>
      Date.parse((body.upload as { expiresAt: string }).expiresAt);
    expect(expiryOf(again) - expiryOf(first)).toBe(TWO_MINUTES);
    expect((await api.send(again, 'pdf')).status).toBeLessThan(300);
    const uploaded = await api.announce('pdf', {}, { headers });
    expect(uploaded.body).toMatchObject({ id: first.body.id, state: 'UPLOADED' });
    expect(uploaded.body).not.toHaveProperty('upload');
  });

  it('is not given to who may not write the field any more, or once a record has it', async () => {
    let isAllowed = true;
    const api = await deals(() => isAllowed);
    const first = await api.announce('pdf', {}, { headers });
    await api.send(first, 'pdf');
    isAllowed = false;
    expect((await api.announce('pdf', {}, { headers })).status).toBe(403);
    isAllowed = true;
    await api.post(DEALS, { contract: first.body.id });
    expect((await api.announce('pdf', {}, { headers })).body).toMatchObject({
      code: 'UPLOAD_NOT_FOUND',
    });
  });

  it('is refused with other facts, and keeps no link', async () => {
    const api = await deals();
    const first = await api.announce('pdf', {}, { headers });
    const other = await api.announce('another', {}, { headers });

    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    const { url } = first.body.upload as { url: string };
    expect(JSON.stringify(api.context.db.items())).not.toContain(url);
  });
});

describe('a file for an import that is announced twice with the same key', () => {
  it('is one, with a new link', async () => {
    const host = { permissionEvaluator: claimsPermissionEvaluator, storage: memoryStorage() };
    const api = anEntitiesApi({ host });
    await api.define(aCustomerEntity());
    const announce = () =>
      api.post(
        `${RECORDS}/customer/import/uploads`,
        { format: 'csv', ...factsOf('name\r\nA\r\n') },
        { headers },
      );

    const first = await announce();
    const again = await announce();

    expect(again.status, again.text).toBe(201);
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    expect(again.body).toMatchObject({ id: first.body.id, upload: { method: 'PUT' } });
  });
});
