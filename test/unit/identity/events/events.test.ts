import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { secretBytes } from '../../../../functions/identity/sources/event-secret.ts';
import type { HintOutcome } from '../../../../functions/identity/sync/source-sync.ts';
import type { EncryptService } from '../../../../shared/ports/security.ts';
import { anIdentityApi, CONNECTION, SOURCES } from '../../../helpers/identity/identity-api.ts';
import { memorySync } from '../../../helpers/identity/memory-sync.ts';

const RECEIVE = '/api/v1/synchronizer/event_receive';
const URN = 'urn:ietf:params:scim:event:prov:patch:notice';

/** Texts grow as those of a real key do. */
const growing: EncryptService = {
  encrypt: async (plain) => `enc:v1:01234567:${Buffer.from(plain).toString('base64url')}`,
  decrypt: async (sealed) => Buffer.from(sealed.split(':')[3] ?? '', 'base64url').toString(),
  needsReencrypt: async () => false,
};

async function aReceiver(outcome?: () => HintOutcome, encryption?: EncryptService) {
  const sync = memorySync(outcome && { applyOne: async () => outcome() });
  const api = anIdentityApi({ sync, ...(encryption && { encryption }) });
  const made = await api.post(`${SOURCES}/create`, {
    ...{ name: 'Head office', code: 'head-office', provider: 'EXTSRC' },
  });
  const id = String(made.body.id);
  await api.put(`${SOURCES}/enable/${id}`);
  const secret = String(made.body.eventSecret);
  const nowS = () => Math.floor(api.context.clock.now() / 1_000);
  const signed = (key: string, content: Buffer, at = nowS(), signer = secret) => {
    const text = Buffer.concat([Buffer.from(`${key}.${at}.`), content]);
    const mac = createHmac('sha256', secretBytes(signer)).update(text).digest('base64');
    return { 'webhook-id': key, 'webhook-timestamp': `${at}`, 'webhook-signature': `v1,${mac}` };
  };
  const send = (
    body: string | Buffer,
    headers: Readonly<Record<string, string>>,
    code = 'head-office',
  ) => api.call({ method: 'POST', path: `${RECEIVE}/${code}`, body, headers, caller: null });
  const hook = (key: string, event: object, signer?: string) => {
    const body = Buffer.from(JSON.stringify(event));
    const headers = { 'content-type': 'application/json', ...signed(key, body, nowS(), signer) };
    return send(body, headers);
  };
  const token = (claims: object, header: object = {}, signer = secret) =>
    new SignJWT({
      ...{ iss: 'https://idm.example.com', aud: 'head-office', iat: nowS(), jti: 'j1' },
      ...{ sub_id: { format: 'scim', uri: '/Users/u1' }, events: { [URN]: {} }, ...claims },
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'secevent+jwt', ...header })
      .sign(secretBytes(signer));
  const push = async (text: string) => send(text, { 'content-type': 'application/secevent+jwt' });
  const records = async () =>
    (await api.get(`${SOURCES}/event/record_list?identitySourceId=${id}`)).body.content;
  return { api, sync, id, secret, send, hook, token, push, records, signed, nowS };
}

const UPDATED = { type: 'user.updated', objectId: 'u1' };

describe('POST /api/v1/synchronizer/event_receive/{code}', () => {
  it('stores a signed event once before it says so, and its body encrypted', async () => {
    const { api, hook, records } = await aReceiver();

    const first = await hook('m1', { ...UPDATED, data: { secret: 'canary' } });
    const again = await hook('m1', UPDATED);

    expect(first).toMatchObject({ status: 202, body: { duplicate: false } });
    expect(again.body).toEqual({ eventId: first.body.eventId, duplicate: true });
    expect(await records()).toMatchObject([
      { eventType: 'user.updated', actionType: 'UPDATE', externalId: 'u1', status: 'PENDING' },
    ]);
    expect(JSON.stringify(api.context.db.items())).not.toContain('canary');
  });

  it('stores one of the largest size, whose body is longer when it is encrypted', async () => {
    const { hook } = await aReceiver(undefined, growing);
    const room = 262_144 - JSON.stringify({ ...UPDATED, data: '' }).length;

    const { status } = await hook('m1', { ...UPDATED, data: 'x'.repeat(room) });

    expect(status).toBe(202);
  });

  it('refuses a body that is not UTF-8', async () => {
    const { send, signed } = await aReceiver();
    const text = JSON.stringify({ ...UPDATED, data: '\u00ff' });
    const body = Buffer.from(text, 'latin1');

    const answer = await send(body, { 'content-type': 'application/json', ...signed('m1', body) });

    expect([answer.status, answer.body.err]).toEqual([400, 'invalid_request']);
  });

  it('is taken once when it comes several times at once, also with a late clock', async () => {
    const { send, signed, nowS, records } = await aReceiver();
    const body = Buffer.from(JSON.stringify(UPDATED));
    const json = { 'content-type': 'application/json' };

    const answers = await Promise.all(
      [-300, 0, 300].map((shift) => send(body, { ...json, ...signed('m1', body, nowS() + shift) })),
    );
    const early = await send(body, { ...json, ...signed('m2', body, nowS() + 301) });

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(answers.filter(({ body: { duplicate } }) => duplicate === false)).toHaveLength(1);
    expect(early.status).toBe(401);
    expect(await records()).toHaveLength(1);
  });

  it('is not refused while the keys of its source cannot be fetched', async () => {
    const { api, id, push, token } = await aReceiver();
    const basicConfig = { ...CONNECTION, eventJwksUri: 'https://127.0.0.1:1/keys' };
    await api.put(`${SOURCES}/save/config`, { id, basicConfig });

    const [, claims] = (await token({})).split('.');
    const header = Buffer.from('{"alg":"ES256","typ":"secevent+jwt"}').toString('base64url');

    expect((await push(await token({}))).status).toBe(401);
    expect((await push(`${header}.${claims}.${'A'.repeat(86)}`)).status).toBe(503);
  });

  it('takes security event tokens of SCIM', async () => {
    const { push, token, records } = await aReceiver();
    const urn = 'urn:ietf:params:scim:event:prov:delete';

    const update = await push(await token({}));
    const removal = await push(
      await token({
        jti: 'j2',
        events: { [urn]: {} },
        sub_id: { format: 'scim', uri: '/Groups/g%2F1' },
      }),
    );

    expect([update.status, removal.status]).toEqual([202, 202]);
    expect(await records()).toMatchObject([
      { actionType: 'DELETE', objectType: 'ORGANIZATION', externalId: 'g/1' },
      { actionType: 'UPDATE', objectType: 'USER', externalId: 'u1' },
    ]);
  });

  it('refuses what the source has not signed, or too long ago', async () => {
    const { hook, send, push, token, signed, nowS, records } = await aReceiver();
    const other = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const body = Buffer.from(JSON.stringify(UPDATED));
    const json = { 'content-type': 'application/json' };

    const answers = [
      await hook('m1', UPDATED, other),
      await send(body, json),
      await send(body, { ...json, ...signed('m1', body, nowS() - 301) }),
      await send(Buffer.concat([body, Buffer.from(' ')]), { ...json, ...signed('m1', body) }),
      await push(await token({}, {}, other)),
      await push(await token({}, { typ: 'JWT' })),
      await push(await token({ aud: 'another-source' })),
      await push('eyJhbGciOiJub25lIiwidHlwIjoic2VjZXZlbnQrand0In0.e30.'),
    ];

    expect(answers.map(({ status, body: { err } }) => [status, err])).toEqual(
      answers.map(() => [401, 'authentication_failed']),
    );
    expect(await records()).toEqual([]);
  });

  it('refuses what says nothing, in the form of RFC 8935', async () => {
    const { hook, push, token, send, nowS } = await aReceiver();
    const two = { [URN]: {}, 'urn:ietf:params:scim:event:prov:delete': {} };

    const answers = [
      await hook('m1', { type: 'user.exploded', objectId: 'u1' }),
      await hook('m2', { type: 'user.updated' }),
      await push(await token({ events: { 'urn:other': {} } })),
      await push(await token({ events: two })),
      await push(await token({ sub_id: { format: 'email', uri: '/Users/u1' } })),
      await push(await token({ iat: nowS() - 8 * 86_400 })),
      await push(await token({ toe: 1e300 })),
      await push(await token({ iat: nowS() + 120 })),
    ];

    expect(answers.map(({ status, body: { err } }) => [status, err])).toEqual(
      answers.map(() => [400, 'invalid_request']),
    );
    expect((await send('x', { 'content-type': 'text/plain' })).status).toBe(415);
    const large = Buffer.alloc(262_145, 32);
    expect((await send(large, { 'content-type': 'application/json' })).status).toBe(413);
  });

  it('does not tell a disabled source from none, and limits events of one', async () => {
    const { api, id, hook, send } = await aReceiver();
    const json = { 'content-type': 'application/json' };

    for (let count = 0; count < 60; count += 1) await hook(`m${count}`, UPDATED);
    const refused = await hook('m60', UPDATED);
    await api.put(`${SOURCES}/disable/${id}`);
    const disabled = await hook('m61', UPDATED);
    const unknown = await send('{}', json, 'nobody');

    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect([disabled.status, unknown.status]).toEqual([404, 404]);
  });

  it('takes the former secret for a day after a rotation', async () => {
    const { api, id, hook, secret } = await aReceiver();
    const rotated = await api.post(`${SOURCES}/event/rotate_secret/${id}`);

    expect((await hook('m1', UPDATED, String(rotated.body.eventSecret))).status).toBe(202);
    expect((await hook('m2', UPDATED, secret)).status).toBe(202);
    api.context.clock.advance(24 * 3_600_000 + 1);
    expect((await hook('m3', UPDATED, secret)).status).toBe(401);
  });
});

describe('an event', () => {
  it('is a hint: its object is looked at again, once', async () => {
    const { api, sync, id, hook, records } = await aReceiver();
    await hook('m1', { type: 'user.deleted', objectId: 'u1' });

    await api.services.eventWorker.sweep();
    await api.services.eventWorker.apply(id, 'm1');

    const hints = sync.calls.filter(([name]) => name === 'applyOne');
    expect(hints).toEqual([['applyOne', [id, { objectType: 'USER', externalId: 'u1' }]]]);
    expect(await records()).toMatchObject([{ status: 'SUCCESS', attempts: 1, desc: 'applied' }]);
  });

  it('waits for a run, and is tried five times when the source fails', async () => {
    let outcome: HintOutcome = { status: 'BUSY', desc: 'a run' };
    const { api, hook, records } = await aReceiver(() => outcome);
    await hook('m1', UPDATED);

    await api.services.eventWorker.sweep();
    expect(await records()).toMatchObject([{ status: 'PENDING', attempts: 0 }]);
    outcome = { status: 'FAIL', desc: 'no answer' };
    for (let count = 0; count < 4; count += 1) await api.services.eventWorker.sweep();
    expect(await records()).toMatchObject([{ status: 'PENDING', attempts: 4 }]);
    expect(await api.services.eventWorker.sweep()).toBe(1);
    expect(await records()).toMatchObject([{ status: 'FAIL', attempts: 5 }]);
    expect(await api.services.eventWorker.sweep()).toBe(0);
  });

  it('is one of many that a run covers', async () => {
    const { api, sync, id, hook } = await aReceiver();
    for (let count = 0; count <= 50; count += 1) await hook(`m${count}`, UPDATED);

    await api.services.eventWorker.sweep();

    expect(sync.calls.filter(([name]) => name !== 'register')).toEqual([
      ['runForEvents', [id, 'INCREMENTAL']],
    ]);
    expect(await api.services.eventWorker.sweep()).toBe(0);
  });
});

describe('an event that one object cannot settle', () => {
  it('starts a run of everything, and waits while there is another one', async () => {
    let isBusy = true;
    const calls: unknown[] = [];
    const { api, sync, hook, records } = await aReceiver(() => ({
      ...{ status: 'SKIP', desc: 'NOT_EMPTY', needsRun: true },
    }));
    sync.runForEvents = async (source, mode) => {
      if (isBusy) throw new Error('busy');
      calls.push([source.code, mode]);
    };
    await hook('m1', { type: 'organization.deleted', objectId: 'g1' });

    await api.services.eventWorker.sweep();
    const [waiting] = (await records()) as { status: string }[];
    isBusy = false;
    await api.services.eventWorker.sweep();

    expect(waiting?.status).toBe('PENDING');
    expect(calls).toEqual([['head-office', 'FULL']]);
    expect(await records()).toMatchObject([{ status: 'SUCCESS', desc: 'A run was started.' }]);
  });
});
