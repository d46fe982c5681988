import { describe, expect, it } from 'vitest';
import {
  admin,
  aToken,
  OTHER_ISSUER,
  TEST_ISSUER,
  type TestClaims,
} from '../../../helpers/api/test-tokens.ts';
import {
  type ApiRequest,
  aContext,
  type ContextOptions,
  connect,
} from '../../../helpers/world/a-context.ts';
import { aPipelineModule } from './a-module.ts';

function aPipeline(options: ContextOptions = {}) {
  const context = aContext(options);
  const { call } = connect(aPipelineModule, context);
  const get = (path: string, more: Omit<ApiRequest, 'method' | 'path'> = {}) =>
    call({ method: 'GET', path, ...more });
  const accessLines = () => context.log.named('request');
  return { context, call, get, accessLines };
}

describe('routing', () => {
  it.each([
    ['GET', '/nowhere'],
    ['GET', '/things'],
    ['GET', '/things/a/b'],
    ['DELETE', '/'],
    ['OPTIONS', '/nowhere'],
  ])('answers 404 for %s %s', async (method, path) => {
    const { call } = aPipeline();

    const answer = await call({ method, path });

    expect(answer.status).toBe(404);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/problem+json' });
    expect(answer.body).toMatchObject({ code: 'ROUTE_NOT_FOUND', instance: path });
  });

  it.each([
    ['DELETE', '/things/1', 'GET, HEAD, POST'],
    ['PATCH', '/callback', 'POST'],
    ['GET', '/upload', 'PUT'],
    ['GET', '/things/1:suspend', undefined],
    ['GET', '/runs/0a000000-0000-7000-8000-000000000001:cancel', 'POST'],
  ])('answers %s %s with the allowed methods: %s', async (method, path, allow) => {
    const { call } = aPipeline();

    const answer = await call({ method, path });

    if (allow === undefined) expect(answer.status).toBe(200);
    else {
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe(allow);
      expect(answer.body).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
    }
  });

  it('tells a verb after a colon from an id', async () => {
    const { call } = aPipeline();

    const answer = await call({ method: 'POST', path: '/things/7:suspend' });

    expect(answer.body).toEqual({ suspended: '7' });
  });

  it('answers HEAD as GET without the body', async () => {
    const { call } = aPipeline();

    const [head, missing] = [
      await call({ method: 'HEAD', path: '/things/7' }),
      await call({ method: 'HEAD', path: '/nowhere' }),
    ];

    expect(head).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-type': 'application/json' },
    });
    expect(missing).toMatchObject({ status: 404, text: '' });
  });

  it('gives bytes as they are', async () => {
    const { get } = aPipeline();

    const answer = await get('/download');

    expect(answer.headers['content-type']).toBe('application/octet-stream');
    expect(Buffer.from(answer.text)).toHaveLength(
      Buffer.from(Buffer.from([0, 255]).toString()).length,
    );
  });
});

describe('every answer', () => {
  it.each(['/things/1', '/nowhere', '/crash'])(
    'of %s may not be stored or guessed at',
    async (path) => {
      const { get } = aPipeline();

      const { headers } = await get(path);

      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
      });
    },
  );
});

describe('the trace id', () => {
  const W3C = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  it.each([
    ['traceparent', { traceparent: W3C }, '4bf92f3577b34da6a3ce929d0e0e4736'],
    [
      'traceparent before X-Trace-Id',
      { traceparent: W3C, 'x-trace-id': 'mine' },
      '4bf92f3577b34da6a3ce929d0e0e4736',
    ],
    ['X-Trace-Id', { 'X-Trace-Id': 'order-4711_a.b' }, 'order-4711_a.b'],
    ['X-Trace-Id, when traceparent is none', { traceparent: 'junk', 'x-trace-id': 'mine' }, 'mine'],
    [
      'X-Trace-Id, when traceparent is all zeros',
      { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, 'x-trace-id': 'mine' },
      'mine',
    ],
  ])('comes from %s', async (_what, headers, traceId) => {
    const { get, accessLines } = aPipeline();

    const answer = await get('/nowhere', { headers });

    expect(answer.headers['x-trace-id']).toBe(traceId);
    expect(answer.body).toMatchObject({ traceId });
    expect(accessLines()).toMatchObject([{ traceId }]);
  });

  it.each(['', 'a b', 'a\nb', 'x'.repeat(65), '<script>'])(
    'is a new one instead of %o',
    async (given) => {
      const { get } = aPipeline();

      const { headers } = await get('/things/1', { headers: { 'x-trace-id': given } });

      expect(headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/);
    },
  );

  it('comes from the X-Ray root when the caller names none', async () => {
    const { get } = aPipeline();
    process.env._X_AMZN_TRACE_ID =
      'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';

    const { headers } = await get('/things/1');
    delete process.env._X_AMZN_TRACE_ID;

    expect(headers['x-trace-id']).toBe('5759e988bd862e3fe1be46a994272793');
  });

  it('is another one for each call', async () => {
    const { get } = aPipeline();

    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await get('/things/1')).headers['x-trace-id']),
    );

    expect(new Set(ids).size).toBe(3);
  });
});

describe('an error inside', () => {
  it('is a 500 without any detail, and is logged with its causes', async () => {
    const { get, context } = aPipeline();

    const answer = await get('/crash', { headers: { 'x-trace-id': 'call-1' } });

    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      type: 'urn:svc-cloud:problem:INTERNAL_ERROR',
      title: 'Internal server error',
      status: 500,
      detail: 'Internal server error',
      instance: '/crash',
      code: 'INTERNAL_ERROR',
      traceId: 'call-1',
    });
    expect(context.log.lines.find(({ level }) => level === 'error')).toMatchObject({
      code: 'INTERNAL_ERROR',
      traceId: 'call-1',
      cause: { message: 'password=hunter2 of 10.0.0.7', cause: { message: 'deep cause' } },
    });
  });

  it.each([
    ['network', 503, 'SERVICE_UNAVAILABLE'],
    ['throttling', 503, 'SERVICE_UNAVAILABLE'],
    ['internal', 503, 'SERVICE_UNAVAILABLE'],
    ['answer-lost', 503, 'SERVICE_UNAVAILABLE'],
  ] as const)('of the table (%s) is a %i', async (fault, status, code) => {
    const { get, context } = aPipeline();
    await context.refreshScope.atInvocationStart();
    context.db.failNext(fault);

    const answer = await get('/table');

    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code });
    expect(answer.text).not.toMatch(/ECONN|Exception|throughput/i);
  });

  it('does not stop calls after it', async () => {
    const { get } = aPipeline();

    const statuses = [(await get('/crash')).status, (await get('/things/1')).status];

    expect(statuses).toEqual([500, 200]);
  });
});

describe('the access log', () => {
  it.each([
    ['/things/1', { route: 'GET /things/{id}', status: 200, principal: 'demo' }],
    ['/nowhere', { route: 'none', status: 404, code: 'ROUTE_NOT_FOUND' }],
    ['/crash', { route: 'GET /crash', status: 500, code: 'INTERNAL_ERROR' }],
  ])('has one line for %s', async (path, line) => {
    const { get, accessLines } = aPipeline();

    await get(path);

    expect(accessLines()).toMatchObject([{ ...line, ms: expect.any(Number) }]);
  });

  it('never holds tokens, bodies, queries or addresses with ids', async () => {
    const { call, context } = aPipeline();
    const token = await aToken(admin, context.clock.now());
    const body = { name: 'secret-name', count: 'no number' };

    await call({ method: 'POST', path: '/things/id-4711?dry=secret-query', body, token });
    await call({ method: 'POST', path: '/things/id-4711', body: '{"secret-json', token });
    await call({
      method: 'GET',
      path: '/access/authenticated',
      token: `${token.slice(0, -4)}AAAA`,
    });

    const signature = token.split('.')[2] ?? '-';
    expect(context.log.text()).not.toContain(signature.slice(0, 20));
    expect(context.log.text()).not.toMatch(/secret-name|secret-query|secret-json|4711/);
  });
});

describe('the audit', () => {
  const suspend = async (query: string, claims: TestClaims) => {
    const { call, context, accessLines } = aPipeline();
    const token = await aToken(claims, context.clock.now());
    await call({ method: 'POST', path: `/things/7:suspend${query}`, token });
    return { audit: context.log.named('audit'), access: accessLines() };
  };

  it('names who has called what: the subject and its issuer', async () => {
    const { audit, access } = await suspend('?until=monday&note=because', {
      ...admin,
      iss: OTHER_ISSUER,
    });

    const who = { by: 'demo', issuer: OTHER_ISSUER };
    expect(audit).toMatchObject([
      { operation: 'suspendThing', id: '7', until: 'monday', status: 200, ...who },
    ]);
    expect(JSON.stringify(audit)).not.toContain('because');
    expect(access).toMatchObject([{ principal: 'demo', issuer: OTHER_ISSUER }]);
  });

  it.each([
    ['may not', '', { sub: 'eve', roles: [] }, { status: 403, code: 'FORBIDDEN', by: 'eve' }],
    ['asks wrongly', '?when=now', admin, { status: 400, by: 'demo' }],
  ])('names who %s', async (_what, query, claims, line) => {
    const { audit } = await suspend(query, claims);

    expect(audit).toMatchObject([{ operation: 'suspendThing', issuer: TEST_ISSUER, ...line }]);
  });

  it.each(['publicAccess', 'authenticated', 'decidedByData', 'permission'])(
    'names who changes what by a route of the kind %s',
    async (kind) => {
      const { call, context } = aPipeline();

      await call({ method: 'PUT', path: `/access/${kind}` });

      const who = { by: 'demo', issuer: TEST_ISSUER };
      expect(context.log.named('audit')).toEqual([
        expect.objectContaining({ operation: `${kind}Change`, status: 200, ...who }),
      ]);
    },
  );

  it('has no line for calls that change nothing or come from nobody', async () => {
    const { call, get, context } = aPipeline();

    for (const kind of [
      'publicAccess',
      'authenticated',
      'decidedByData',
      'permission',
      'capability',
    ])
      await get(`/access/${kind}`);
    await call({ method: 'POST', path: '/things/1', body: { name: 'a' }, caller: null });
    await call({ method: 'PUT', path: '/access/capability' });
    await call({ method: 'POST', path: '/things/1:suspend', caller: null });

    expect(context.log.named('audit')).toEqual([]);
  });
});

describe('access', () => {
  const none = { caller: null };
  const broken = { token: 'not.a.token' };

  it.each([
    ['publicAccess', none, 200, 'anonymous'],
    ['publicAccess', {}, 200, 'demo'],
    ['publicAccess', broken, 401, undefined],
    ['decidedByData', none, 200, 'anonymous'],
    ['decidedByData', {}, 200, 'demo'],
    ['decidedByData', broken, 401, undefined],
    ['authenticated', none, 401, undefined],
    ['authenticated', {}, 200, 'demo'],
    ['authenticated', broken, 401, undefined],
    ['permission', none, 401, undefined],
    ['permission', { caller: { sub: 'x' } }, 403, undefined],
    ['permission', { caller: { sub: 'x', permissions: ['thing:view'] } }, 200, 'x'],
    ['capability', none, 200, 'anonymous'],
    ['capability', {}, 200, 'anonymous'],
    ['capability', broken, 200, 'anonymous'],
  ])('%s with %o gives %i', async (kind, more, status, id) => {
    const { get } = aPipeline();

    const answer = await get(`/access/${kind}`, more);

    expect(answer.status).toBe(status);
    expect(answer.body.id).toBe(id);
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it('is denied by a host without policies, to administrators too', async () => {
    const { get } = aPipeline({ host: {} });

    const answer = await get('/access/permission');

    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({
      code: 'FORBIDDEN',
      detail: 'The permission thing:view is required.',
    });
  });

  it('asks for edit where a verb follows a colon', async () => {
    const { call } = aPipeline();
    const path = '/things/7:suspend';

    const [viewer, editor] = await Promise.all(
      ['thing:add', 'thing:edit'].map((permission) =>
        call({ method: 'POST', path, caller: { sub: 'x', permissions: [permission] } }),
      ),
    );

    expect([viewer?.status, editor?.status]).toEqual([403, 200]);
  });

  it('is decided by the host when it brings its own authentication', async () => {
    const principal = {
      id: 'robot',
      username: 'robot',
      authenticated: true,
      roles: [],
      groups: [],
      permissions: [],
      claims: {},
    };
    const { get } = aPipeline({ host: { authenticate: async () => principal } });

    const answer = await get('/access/authenticated', { token: 'anything' });

    expect(answer.body).toMatchObject({ id: 'robot' });
  });

  it('is checked before the request is parsed', async () => {
    const { call } = aPipeline({ host: {} });

    const answer = await call({ method: 'POST', path: '/things/7:suspend?unknown=1', body: '{' });

    expect(answer.status).toBe(403);
  });
});

describe('parsing', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) => ({
    method: 'POST',
    path: '/things/1',
    body,
    headers,
  });

  it.each([
    ['broken JSON', '{"name":', 400, 'INVALID_JSON'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'INVALID_JSON'],
    ['JSON of 501 levels', `${'['.repeat(501)}${']'.repeat(501)}`, 400, 'INVALID_JSON'],
    ['JSON of 200 000 levels', '{"a":'.repeat(200_000), 400, 'INVALID_JSON'],
    ['nothing', undefined, 400, 'VALIDATION_FAILED'],
    ['null', 'null', 400, 'VALIDATION_FAILED'],
    ['a list', '[]', 400, 'VALIDATION_FAILED'],
    ['a wrong type', { name: 1 }, 400, 'VALIDATION_FAILED'],
    ['an unknown field', { name: 'a', nmae: 'b' }, 400, 'UNKNOWN_FIELD'],
    ['a field of the prototype', '{"name":"a","__proto__":{"x":1}}', 400, undefined],
    ['more than 1 MiB', `"${'x'.repeat(1_048_576)}"`, 413, 'PAYLOAD_TOO_LARGE'],
  ])('refuses %s', async (_what, body, status, code) => {
    const { call } = aPipeline();

    const answer = await call(post(body));

    expect(answer.status).toBe(status);
    if (code) expect(answer.body).toMatchObject({ code });
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'json',
    'multipart/form-data; boundary=x',
  ])('refuses the content type %s', async (type) => {
    const { call } = aPipeline();

    const answer = await call(post('{"name":"a"}', { 'content-type': type }));

    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/merge-patch+json'])(
    'takes the content type %s',
    async (type) => {
      const { call } = aPipeline();

      const answer = await call(post('{"name":"a"}', { 'content-type': type }));

      expect(answer.body).toEqual({ id: '1', name: 'a' });
    },
  );

  it('takes a body that the gateway encoded', async () => {
    const { call } = aPipeline();

    const answer = await call(post(Buffer.from('{"name":"ü"}')));

    expect(answer.body).toEqual({ id: '1', name: 'ü' });
  });

  it.each([
    ['/things/1?dry=maybe', 'dry'],
    ['/things/1?wet=true', 'wet'],
    ['/things/1?dry=true&dry=false', 'dry'],
    [`/things/${'x'.repeat(21)}`, 'id'],
  ])('names the parameter that is wrong in %s', async (path, parameter) => {
    const { call } = aPipeline();

    const answer = await call({ method: 'POST', path, body: { name: 'a' } });

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_PARAMETER', errors: [{ parameter }] });
  });

  it('ignores extras where other software calls', async () => {
    const { call } = aPipeline();

    const answer = await call({
      method: 'POST',
      path: '/callback?key=a&tracking=b',
      body: { status: 2, users: ['x'] },
    });

    expect(answer.body).toEqual({ key: 'a', status: 2 });
  });

  it('gives a route the bytes of its own content type, up to its own limit', async () => {
    const { call } = aPipeline();
    const pdf = Buffer.alloc(1_500_000, 1);

    const answer = await call({
      method: 'PUT',
      path: '/upload',
      body: pdf,
      headers: { 'content-type': 'application/pdf' },
    });

    expect(answer.body).toEqual({ size: 1_500_000 });
  });
});

describe('a task', () => {
  it('runs by its name with its input', async () => {
    const { runTask } = connect(aPipelineModule, aContext());

    expect(await runTask('count', { a: 1 })).toEqual({ counted: { a: 1 } });
  });

  it.each(['none', 'constructor', 'toString'])(
    'fails when there is none named %s',
    async (task) => {
      const { runTask } = connect(aPipelineModule, aContext());

      await expect(runTask(task)).rejects.toThrow(`no task ${task}`);
    },
  );
});
