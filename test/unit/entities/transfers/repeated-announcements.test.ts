import { describe, expect, it } from 'vitest';
import { claimsPermissionEvaluator } from '../../../../shared/host/claims-policies.ts';
import { memoryStorage } from '../../../helpers/captured/memory-storage.ts';
import type { ApiAnswer } from '../../../helpers/world/a-context.ts';
import { DEALS, deal, deals, factsOf, sweep } from '../attachments/deals.ts';
import { anInterruptibleApi } from '../deletions/interrupted.ts';
import { aCustomerEntity, anEntitiesApi, type EntitiesApi, RECORDS } from '../entities-api.ts';

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

describe('a file of a record that is announced at the same time with the same key', () => {
  const A_DAY_MS = 25 * 3_600_000;
  const announcementsOf = ({ context }: Pick<EntitiesApi, 'context'>, prefix: string) =>
    context.db.items().filter(({ pk }) => String(pk).startsWith(prefix));

  it('is one; what the other call has begun ends by itself and erases nothing', async () => {
    const api = await deals();
    let second: ApiAnswer | undefined;
    const stop = api.context.db.before('TransactWriteItems', async () => {
      stop();
      second = await api.announce('pdf', {}, { headers });
    });
    const first = await api.announce('pdf', {}, { headers });

    expect([first.status, second?.status]).toEqual([201, 201]);
    expect(first.body.id).toBe(second?.body.id);
    expect(announcementsOf(api, 'DYN_FILE#')).toHaveLength(1);
    // That of the call that came too late is about an object that nobody can upload.
    expect(announcementsOf(api, 'DYN_OPEN_WORK#')).toHaveLength(2);
    await api.send(second as ApiAnswer, 'pdf');
    const made = await api.post(DEALS, { contract: first.body.id });
    expect(made.status, made.text).toBe(201);
    await sweep(api, A_DAY_MS);
    await sweep(api, A_DAY_MS);
    expect(announcementsOf(api, 'DYN_OPEN_WORK#')).toEqual([]);
    expect(api.stored()).toEqual(['pdf']);
  });

  it('is one, too, wherever the process ends and the call is repeated', async () => {
    let isInterrupted = true;
    for (let nth = 0; isInterrupted; nth += 1) {
      const api = anInterruptibleApi({ pauseMs: () => 0 });
      await api.define({ ...deal, requirePermission: false });
      const facts = { field: 'contract', fileName: 'a.pdf', contentType: 'application/pdf' };
      const body = { ...facts, ...factsOf('pdf') };
      const announce = () => api.post(`${DEALS}/files/uploads`, body, { headers });
      const revive = api.dieAt(nth);
      const answers = await Promise.all([announce(), announce()]);
      isInterrupted = revive();
      const again = await announce();
      const name = `request ${nth}: ${answers.map(({ status }) => status).join()}`;

      expect(again.status, name).toBe(201);
      for (const answer of answers.filter(({ status }) => status === 201))
        expect(answer.body.id, name).toBe(again.body.id);
      expect(announcementsOf(api, 'DYN_FILE#'), name).toHaveLength(1);
      const { method, url, headers: sent } = again.body.upload as Upload;
      const path = url.replace('http://api.example.com', '');
      await api.call({ method, path, headers: sent, caller: null, body: Buffer.from('pdf') });
      expect((await api.post(DEALS, { contract: again.body.id })).status, name).toBe(201);
      for (let day = 0; day < 2; day += 1) await sweep(api, A_DAY_MS);
      expect(announcementsOf(api, 'DYN_OPEN_WORK#'), name).toEqual([]);
      expect(announcementsOf(api, 'DYN_FILE#'), name).toEqual([]);
      expect([...api.files.keys()], name).toEqual([expect.stringContaining(String(again.body.id))]);
    }
  });
});

interface Upload {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

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
