import { randomBytes, randomUUID } from 'node:crypto';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiClient, createApiClient } from '../helpers/cloud/api-client.ts';
import { cloud } from '../helpers/cloud/cloud.ts';
import { functionLog } from '../helpers/cloud/function-log.ts';
import { saveAesKey } from '../helpers/cloud/save-aes-key.ts';

const SETTING = '/api/v1/setting';
const SECRET = 'hunter2-is-no-secret';

let api: ApiClient;
beforeAll(async () => {
  api = createApiClient({
    baseUrl: cloud.baseUrl,
    token: await cloud.token({ sub: 'journey', roles: ['admin'] }),
  });
});

/** A name that no other test has. */
const aName = (end = 'from'): string => `mail.${randomUUID()}.${end}`;

const save = (body: Readonly<Record<string, unknown>>, headers: Record<string, string> = {}) =>
  api.post(`${SETTING}/save`, { body: { value: 'v', desc: 'Journey', ...body }, headers });

describe('a setting', () => {
  it('is created, read, changed, listed, rolled back, deleted and brought back', async () => {
    const name = aName();

    const created = await save({ name, value: 'one' });
    expect(created.status).toBe(201);
    expect(created.headers).toMatchObject({ etag: '"1"', location: `${SETTING}/${name}` });
    expect(created.body).toMatchObject({
      name,
      value: 'one',
      version: 1,
      entity: { createdBy: 'journey' },
    });

    const read = await api.get(`${SETTING}/${name}`);
    expect(read.body).toEqual({ name, value: 'one', masked: false, version: 1 });
    const text = await api.get(`${SETTING}/${name}`, { headers: { accept: 'text/plain' } });
    expect(text.text).toBe('one');
    const head = await api.head(`${SETTING}/${name}`);
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', '"1"']);

    const updated = await save({ name, value: 'two' }, { 'if-match': '"1"' });
    expect([updated.status, updated.body.version]).toEqual([200, 2]);
    const unchanged = await save({ name, value: 'two' });
    expect([unchanged.status, unchanged.body.version]).toEqual([200, 2]);
    const stale = await save({ name, value: 'three' }, { 'if-match': '"1"' });
    expect([stale.status, stale.body.code, stale.body.currentVersion]).toEqual([
      412,
      'VERSION_CONFLICT',
      2,
    ]);

    const list = await api.get(SETTING, { query: { prefix: name } });
    expect(list.body.content).toMatchObject([{ name, value: 'two', version: 2 }]);

    const back = await api.post(`${SETTING}/${name}/rollback`, { body: { version: 1 } });
    expect(back.body).toMatchObject({ value: 'one', version: 3 });
    expect((await api.delete(`${SETTING}/${name}`)).status).toBe(204);
    expect((await api.get(`${SETTING}/${name}/detail`)).body.code).toBe('SETTING_NOT_FOUND');
    const again = await api.post(`${SETTING}/${name}/rollback`, { body: { version: 2 } });
    expect(again.body).toMatchObject({ value: 'two', version: 5 });

    const history = await api.get(`${SETTING}/${name}/history`);
    expect(history.body.content.map(({ change }: { change: string }) => change)).toEqual([
      'ROLLED_BACK',
      'DELETED',
      'ROLLED_BACK',
      'UPDATED',
      'CREATED',
    ]);
  });

  it.each([
    ['64 KiB', 'x'.repeat(65_536)],
    ['nothing', ''],
    ['characters of every kind', 'Đà Nẵng \u{1F600} \u0000 \n "\\ \u2028'],
  ])('holds %s', async (_what, value) => {
    const name = aName();

    await save({ name, value });

    expect((await api.get(`${SETTING}/${name}`)).body.value).toBe(value);
  });

  it.each(['a', '0.a_B:c-D', 'constructor', `n${'x'.repeat(200)}`])(
    'may be named like %s',
    async (start) => {
      const name = `${start}.${randomUUID()}`;

      await save({ name });

      expect((await api.get(`${SETTING}/${name}/detail`)).body.name).toBe(name);
      expect((await api.delete(`${SETTING}/${name}`)).status).toBe(204);
    },
  );

  it('is paged by cursor', async () => {
    const prefix = `page.${randomUUID()}.`;
    for (const end of ['a', 'b', 'c']) await save({ name: prefix + end });

    const first = await api.get(SETTING, { query: { prefix, size: 2 } });
    const second = await api.get(SETTING, {
      query: { prefix, size: 2, cursor: first.body.nextCursor },
    });

    const names = [first, second].map(({ body }) =>
      body.content.map(({ name }: { name: string }) => name),
    );
    expect(names).toEqual([[`${prefix}a`, `${prefix}b`], [`${prefix}c`]]);
    expect(second.body).toMatchObject({ number: 1, last: true, nextCursor: null });
  });

  it('is saved once by calls with one Idempotency-Key', async () => {
    const name = aName();
    const headers = { 'idempotency-key': randomUUID() };

    const answers = await Promise.all([1, 2, 3].map(() => save({ name }, headers)));
    const other = await save({ name, value: 'other' }, headers);

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(other.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await api.get(`${SETTING}/${name}/history`)).body.content).toHaveLength(1);
  });

  it('loses no version when ten are saved at once', async () => {
    const name = aName();

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => save({ name, value: `value ${i}` })),
    );

    const saved = answers.filter(({ status }) => status < 300);
    expect(answers.every(({ status }) => status < 300 || status === 409)).toBe(true);
    const { body } = await api.get(`${SETTING}/${name}/history`, { query: { size: 50 } });
    expect(body.content.map(({ version }: { version: number }) => version)).toEqual(
      saved.map((_, i) => saved.length - i),
    );
  });
});

describe('a secret', () => {
  it('is shown in no answer, and revealed to whoever may', async () => {
    const name = aName('password');
    const answers = [
      await save({ name, value: SECRET }),
      await api.get(`${SETTING}/${name}`, { headers: { accept: 'text/plain' } }),
      await api.get(`${SETTING}/${name}/detail`),
      await api.get(`${SETTING}/${name}/history`),
      await api.get(SETTING, { query: { prefix: name } }),
      await save({ name, value: '******', desc: 'Changed' }),
    ];

    const revealed = await api.get(`${SETTING}/${name}`, { query: { reveal: true } });
    const viewer = await cloud.token({ sub: 'viewer', permissions: ['setting:view'] });
    const refused = await api.as(viewer).get(`${SETTING}/${name}`, { query: { reveal: true } });

    expect(answers.map(({ text }) => text).join()).not.toContain('hunter2');
    expect(answers.at(-1)?.body).toMatchObject({ version: 2, value: '******' });
    expect(revealed.body).toMatchObject({ value: SECRET, masked: false });
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('the AES key', () => {
  it('may lie in Secrets Manager', async () => {
    const SecretId = `svc-cloud/journey-${randomUUID()}`;
    const secrets = new SecretsManagerClient(cloud.awsClientConfig());
    const SecretString = JSON.stringify({ aes: `hex:${randomBytes(32).toString('hex')}` });
    await secrets.send(new CreateSecretCommand({ Name: SecretId, SecretString }));
    const name = aName('code');

    const key = await save({
      name: 'security.aes_secret',
      value: `secretsmanager:${SecretId}#aes`,
    });
    const saved = await save({ name, value: 'kept in secret', encrypt: true });

    expect(key.status).toBeLessThan(300);
    expect(saved.body).toMatchObject({ value: '******', encrypted: true });
    const revealed = await api.get(`${SETTING}/${name}`, { query: { reveal: true } });
    expect(revealed.body.value).toBe('kept in secret');
  });

  it('is never shown', async () => {
    const answer = await api.get(`${SETTING}/security.aes_secret`, { query: { reveal: true } });

    expect([answer.status, answer.body.code]).toEqual([409, 'SETTING_PROTECTED']);
  });
});

describe('the log of the function', () => {
  it('holds one line for a call, and no value, token or key', async () => {
    const traceId = randomUUID();
    const token = await cloud.token({ sub: 'logged', roles: ['admin'] });
    const body = { name: aName('password'), value: SECRET };
    await api.as(token).post(`${SETTING}/save`, { body, headers: { 'x-trace-id': traceId } });

    const lines = async () =>
      (await functionLog('settings')).filter(
        (line) => line.includes(traceId) && line.includes('"message":"request"'),
      );

    await expect.poll(lines, { timeout: 120_000 }).toHaveLength(1);
    expect(JSON.parse((await lines())[0] ?? '{}')).toMatchObject({
      message: 'request',
      module: 'settings',
      route: 'POST /api/v1/setting/save',
      status: 201,
      ms: expect.any(Number),
      principal: 'logged',
    });
    const everything = (await functionLog('settings')).join('\n');
    expect(everything).not.toContain('hunter2');
    expect(everything).not.toContain(token.split('.')[2]);
    expect(everything).not.toMatch(/Bearer ey|enc:v1:/);
  });
});

describe('bad input', () => {
  const name = 'bad.input';

  it.each([
    ['malformed JSON', '{"name":', {}, 400, 'INVALID_JSON'],
    ['no body', undefined, {}, 400, 'VALIDATION_FAILED'],
    ['a wrong type', { name, value: 1 }, {}, 400, 'VALIDATION_FAILED'],
    ['null as value', { name, value: null }, {}, 400, 'VALIDATION_FAILED'],
    ['an unknown field', { name, value: 'a', colour: 'red' }, {}, 400, 'UNKNOWN_FIELD'],
    ['an odd name', { name: 'a/../b', value: 'a' }, {}, 400, 'VALIDATION_FAILED'],
    ['a value over 64 KiB', { name, value: 'x'.repeat(65_537) }, {}, 400, 'VALIDATION_FAILED'],
    ['a body over 1 MiB', { name, value: 'x'.repeat(1_100_000) }, {}, 413, 'PAYLOAD_TOO_LARGE'],
    ['a text', 'name=a', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a key with spaces',
      { name, value: 'a' },
      { 'idempotency-key': 'a b' },
      400,
      'INVALID_PARAMETER',
    ],
  ])('gets a clear answer: %s', async (_what, body, headers, status, code) => {
    const answer = await api.post(`${SETTING}/save`, { body, headers });

    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.body.traceId).toBe(answer.headers['x-trace-id']);
  });

  it.each([
    ['?size=0', 'size'],
    ['?page=-1', 'page'],
    ['?cursor=eyJ9', 'cursor'],
    ['?colour=red', 'colour'],
  ])('in the query %s is named', async (query, parameter) => {
    const answer = await fetch(`${cloud.baseUrl}${SETTING}${query}`, {
      headers: { authorization: `Bearer ${await cloud.token({ sub: 'x', roles: ['admin'] })}` },
    });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ parameter }] });
  });

  it.each([
    '/%00',
    '/a%20b',
    '/%F0%9F%98%80',
    '/..%2F..%2Fetc',
    `/${'a'.repeat(300)}`,
    '/%40refresh',
    '/%E0%A4%A',
  ])('in the path %s is no error of the server', async (path) => {
    const headers = {
      authorization: `Bearer ${await cloud.token({ sub: 'x', roles: ['admin'] })}`,
    };

    const answer = await fetch(`${cloud.baseUrl}${SETTING}${path}`, { headers });

    expect([400, 404]).toContain(answer.status);
  });

  it.each([
    ['GET', '/api/v1/nothing', 404, 'ROUTE_NOT_FOUND'],
    ['GET', '/', 404, 'ROUTE_NOT_FOUND'],
    ['PUT', `${SETTING}/save`, 405, 'METHOD_NOT_ALLOWED'],
    ['POST', `${SETTING}/mail.from`, 405, 'METHOD_NOT_ALLOWED'],
  ])('%s %s gives %i', async (method, path, status, code) => {
    const answer = await api.send(method, path);

    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe('callers', () => {
  it.each([
    ['without a token', null, 401],
    ['with something else', 'nonsense', 401],
    ['with alg none', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`, 401],
  ])('%s are refused', async (_who, token, status) => {
    const answer = await api.as(token).get(SETTING);

    expect([answer.status, answer.body.code]).toEqual([status, 'UNAUTHENTICATED']);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it('with a changed token are refused', async () => {
    const token = await cloud.token({ sub: 'x', permissions: [] });
    const [header, , signature] = token.split('.');
    const claims = Buffer.from(JSON.stringify({ sub: 'x', roles: ['admin'] })).toString(
      'base64url',
    );

    const answer = await api.as([header, claims, signature].join('.')).get(SETTING);

    expect(answer.status).toBe(401);
  });

  it('may do what their permissions say, and nothing else', async () => {
    const name = aName();
    const viewer = api.as(await cloud.token({ sub: 'v', permissions: ['setting:view'] }));
    const editor = api.as(await cloud.token({ sub: 'e', permissions: ['setting:edit'] }));
    const body = { name, value: 'x' };

    const statuses = [
      (await viewer.post(`${SETTING}/save`, { body })).status,
      (await editor.post(`${SETTING}/save`, { body })).status,
      (await editor.get(`${SETTING}/${name}`)).status,
      (await viewer.get(`${SETTING}/${name}`)).status,
      (await viewer.delete(`${SETTING}/${name}`)).status,
      (await editor.delete(`${SETTING}/${name}`)).status,
      (await viewer.post(`${SETTING}/refresh`, { body: { key: name } })).status,
    ];

    expect(statuses).toEqual([403, 201, 403, 200, 403, 403, 403]);
  });

  it('find the platform up without a token', async () => {
    const answer = await api.as(null).get('/api/v1/health');

    expect(answer.body).toMatchObject({ status: 'UP', checks: { table: 'UP' } });
  });

  it('get their trace id back', async () => {
    const answer = await api.get('/api/v1/health', { headers: { 'x-trace-id': 'journey-1' } });

    expect(answer.headers['x-trace-id']).toBe('journey-1');
  });
});

describe('a re-encryption', () => {
  /** As the schedules of the functions do. */
  async function sweep(): Promise<void> {
    const lambda = new LambdaClient(cloud.awsClientConfig());
    for (const module of ['settings', 'entities', 'identity']) {
      const FunctionName = cloud.outputs.functions[module] ?? '';
      const Payload = Buffer.from(JSON.stringify({ task: `${module}.sweep` }));
      const { FunctionError, Payload: answer } = await lambda.send(
        new InvokeCommand({ FunctionName, Payload }),
      );
      const text = FunctionError && Buffer.from(answer ?? []).toString();
      expect([module, text]).toEqual([module, undefined]);
    }
  }

  it('gives every text the newest key, step by step in each function, and is followed and stopped', async () => {
    await saveAesKey(api);
    const kept = aName('secret');
    const gone = aName('secret');
    for (const name of [kept, gone]) await save({ name, value: 'text', encrypt: true });
    await api.delete(`${SETTING}/${gone}`);
    await saveAesKey(api);

    const started = await api.post(`${SETTING}/re-encrypt`, { body: { keepKeys: true } });
    expect([started.status, started.headers.location]).toEqual([
      202,
      `${SETTING}/re-encrypt/jobs/${started.body.id}`,
    ]);
    const job = await vi.waitFor(
      async () => {
        await sweep();
        const { body } = await api.get(String(started.headers.location));
        expect(body).toMatchObject({ state: 'DONE' });
        return body;
      },
      { timeout: 240_000, interval: 1_000 },
    );

    expect(job).toMatchObject({ phase: 'clean', keysRemoved: 0 });
    expect(job.moved).toBeGreaterThanOrEqual(3);
    const shown = await api.get(`${SETTING}/${kept}`, { query: { reveal: 'true' } });
    expect(shown.body.value).toBe('text');
    const ended = await api.delete(String(started.headers.location));
    expect([ended.status, ended.body.code]).toEqual([409, 'SETTING_JOB_ENDED']);
  });
});
