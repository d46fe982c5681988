import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ok } from '../../../shared/http/reply.ts';
import {
  authenticated,
  capability,
  decidedByData,
  permission,
  publicAccess,
  type Route,
  type RouteSpec,
  rawRoute,
  route,
} from '../../../shared/http/route.ts';
import { undeployed } from '../../../shared/openapi/api-module.ts';
import { describeApi } from '../../../shared/openapi/describe-api.ts';
import type { OperationObject, Reference } from '../../../shared/openapi/document.ts';
import { limitProblems } from '../../../shared/problems/limit-problems.ts';
import { defineProblems } from '../../../shared/problems/problem.ts';
import { loadConfig } from '../../helpers/world/svc-config.ts';

const things = defineProblems({
  thingBroken: { code: 'THING_BROKEN', status: 422, title: 'The thing is broken' },
});

const info = { title: 'test', version: '1.0.0', description: 'A test' };

function aRoute(changes: Partial<RouteSpec> = {}): Route {
  return route({
    operationId: 'getThing',
    method: 'GET',
    path: '/things',
    summary: 'Reads things',
    access: permission('thing'),
    responses: { 200: { description: 'Things', schema: z.object({ id: z.string() }) } },
    handle: async () => ok({}),
    ...changes,
  } as RouteSpec);
}

const describeRoutes = (...routes: Route[]) =>
  describeApi(
    [{ module: 'things', tag: 'Things', description: 'Things.', routes: () => routes }],
    info,
    loadConfig(),
  );

function describeRoute(changes: Partial<RouteSpec> = {}): OperationObject {
  const { method = 'GET', path = '/things' } = changes;
  const { paths } = describeRoutes(aRoute(changes));
  return paths[path.replace('+}', '}')]?.[method.toLowerCase()] as OperationObject;
}

/** Codes by status, read off the names of the shared answers. */
function codes(operation: OperationObject): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(operation.responses)
      .filter(([status, response]) => '$ref' in response && !['429', '431'].includes(status))
      .map(([status, response]) => [
        status,
        (response as Reference).$ref.split('/').at(-1)?.split('.').slice(1) ?? [],
      ]),
  );
}

describe('the problems of an operation', () => {
  const always = { '500': ['INTERNAL_ERROR'] };
  const guarded = {
    ...always,
    '400': ['INVALID_PARAMETER'],
    '401': ['UNAUTHENTICATED'],
    '503': ['AUTH_KEYS_UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
  };

  it.each([
    ['permission', permission('thing'), { ...guarded, '403': ['FORBIDDEN'] }],
    ['data', decidedByData, { ...guarded, '403': ['FORBIDDEN'] }],
    ['authenticated', authenticated, guarded],
    ['public', publicAccess, guarded],
    [
      'capability',
      capability,
      { ...always, '400': ['INVALID_PARAMETER'], '503': ['SERVICE_UNAVAILABLE'] },
    ],
  ])('follow from the access "%s"', (_, access, expected) => {
    expect(codes(describeRoute({ access }))).toEqual(expected);
  });

  it('follow from a body', () => {
    const operation = describeRoute({
      method: 'POST',
      access: capability,
      body: z.strictObject({ a: z.string() }),
    });

    expect(codes(operation)).toEqual({
      ...always,
      '400': ['INVALID_JSON', 'INVALID_PARAMETER', 'UNKNOWN_FIELD', 'VALIDATION_FAILED'],
      '409': ['CONCURRENT_UPDATE'],
      '413': ['PAYLOAD_TOO_LARGE'],
      '415': ['UNSUPPORTED_MEDIA_TYPE'],
      '503': ['SERVICE_UNAVAILABLE'],
    });
  });

  it('follow from Idempotency-Key, If-Match and the module', () => {
    const operation = describeRoute({
      method: 'POST',
      idempotent: true,
      conditional: true,
      problems: [things.thingBroken],
    });

    expect(codes(operation)).toMatchObject({
      '412': ['VERSION_CONFLICT'],
      '422': ['IDEMPOTENCY_KEY_REUSED', 'THING_BROKEN'],
    });
  });

  it('leave out unknown parameters where other software calls', () => {
    expect(codes(describeRoute({ lenient: true }))).not.toHaveProperty('400');
  });

  it('stand beside an answer of the same status', () => {
    const down = { description: 'Down', schema: z.object({ up: z.boolean() }), example: {} };

    const operation = describeRoute({ responses: { 503: down } });

    expect(Object.keys((operation.responses['503'] as { content: object }).content)).toEqual([
      'application/json',
      'application/problem+json',
    ]);
  });
});

describe('an operation', () => {
  it('lists path, query and header parameters', () => {
    const { parameters } = describeRoute({
      path: '/things/{id}/files/{proxy+}',
      method: 'PUT',
      idempotent: true,
      conditional: true,
      params: z.strictObject({ id: z.string().max(9).describe('Its id.'), proxy: z.string() }),
      query: z.strictObject({
        deep: z
          .enum(['true', 'false'])
          .transform((text) => text === 'true')
          .default(false),
        name: z.string(),
      }),
    });

    expect(parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Its id.',
        schema: { type: 'string', maxLength: 9 },
      },
      { name: 'proxy', in: 'path', required: true, schema: { type: 'string' } },
      {
        name: 'deep',
        in: 'query',
        required: false,
        schema: { type: 'string', enum: ['true', 'false'] },
      },
      { name: 'name', in: 'query', required: true, schema: { type: 'string' } },
      ...['IdempotencyKey', 'IfMatch', 'IfNoneMatch', 'TraceId', 'Traceparent'].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
    ]);
  });

  it('lists parameters whose names depend on what is stored as one object', () => {
    const others = z.string().meta({ title: 'filters', description: 'By field.' });

    const { parameters } = describeRoute({ query: z.object({}).catchall(others) });

    expect(parameters?.[0]).toEqual({
      name: 'filters',
      in: 'query',
      required: false,
      description: 'By field.',
      style: 'form',
      explode: true,
      schema: { type: 'object', additionalProperties: { type: 'string' } },
      example: {},
    });
    expect(describeRoute({ query: z.looseObject({}) }).parameters?.[0]).not.toHaveProperty('name');
  });

  it('shows an example of each content type of its body', () => {
    const { requestBody } = describeRoute({
      method: 'POST',
      body: z.unknown(),
      consumes: ['application/json', 'text/csv'],
      bodyExample: [{ a: 1 }],
      bodyExamples: { 'text/csv': 'a\n1\n' },
    });

    expect(requestBody?.content).toMatchObject({
      'application/json': { example: [{ a: 1 }] },
      'text/csv': { example: 'a\n1\n' },
    });
  });

  it('names the permission it needs', () => {
    expect(describeRoute({ method: 'DELETE' }).description).toBe(
      'Needs the permission `thing:delete`.',
    );
  });

  it.each([
    ['public', publicAccess, []],
    ['capability', capability, []],
    ['data', decidedByData, [{}, { bearerAuth: [] }]],
    ['permission', permission('thing'), [{ bearerAuth: [] }]],
  ])('needs a token as its access "%s" says', (_, access, security) => {
    expect(describeRoute({ access }).security).toEqual(security);
  });

  it('takes a body of other content types', () => {
    const { requestBody } = describeRoute({
      method: 'POST',
      body: z.instanceof(Uint8Array).optional(),
      consumes: ['application/pdf'],
    });

    expect(requestBody).toEqual({
      required: false,
      content: { 'application/pdf': { schema: {} } },
    });
  });
});

describe('the document', () => {
  it('is the same for the same routes', () => {
    expect(JSON.stringify(describeRoutes(aRoute()))).toBe(JSON.stringify(describeRoutes(aRoute())));
  });

  it('shares named schemas, under two names where both sides differ', () => {
    const thing = z.object({ id: z.string().default('x') }).meta({ id: 'TestThing' });

    const { components, paths } = describeRoutes(
      aRoute({
        method: 'POST',
        body: thing,
        responses: { 200: { description: 'It', schema: z.object({ thing }) } },
      }),
    );

    expect(Object.keys(components.schemas ?? {})).toEqual([
      'Problem',
      'ProblemItem',
      'TestThing',
      'TestThingOutput',
    ]);
    expect(JSON.stringify(paths)).toContain('#/components/schemas/TestThingOutput');
  });

  it('refuses two routes for one path and method', () => {
    expect(() => describeRoutes(aRoute(), aRoute({ operationId: 'other' }))).toThrow(/twice/);
  });

  it('refuses two routes of one operationId', () => {
    expect(() => describeRoutes(aRoute(), aRoute({ path: '/other' }))).toThrow(/twice/);
  });
});

describe('undeployed services', () => {
  it('can be passed on, but not called', () => {
    const { mailService } = undeployed<{ mailService: { send(): void } }>();

    expect(() => mailService.send()).toThrow(/mailService\.send was called/);
  });
});

describe('the options of a route', () => {
  const base = { operationId: 'receive', path: '/receive', summary: 'Takes', access: capability };
  const described = (each: Route): OperationObject => {
    const { paths } = describeRoutes(each);
    return paths['/receive']?.[each.method.toLowerCase()] as OperationObject;
  };

  it('say that a body is signed, and its schema', () => {
    const operation = described(
      rawRoute({
        ...base,
        method: 'POST',
        consumes: ['application/json', 'application/secevent+jwt'],
        body: z.object({ type: z.string() }),
        responses: {},
        handle: async () => ok({}),
      }),
    );

    expect(operation).toMatchObject({ 'x-signed-body': true });
    expect(Object.keys(operation.requestBody?.content ?? {})).toEqual([
      'application/json',
      'application/secevent+jwt',
    ]);
  });

  it('show problems in the form of the route, by its status', () => {
    const operation = described(
      route({
        ...base,
        method: 'POST',
        body: z.object({ a: z.string() }),
        responses: { 200: { description: 'Saved', schema: z.object({ error: z.literal(0) }) } },
        errorForm: {
          schema: z.object({ error: z.literal(1), message: z.string() }),
          statusOf: ({ code, status }) => (code === 'CONCURRENT_UPDATE' ? 200 : status),
          bodyOf: ({ title }) => ({ error: 1, message: title }),
        },
        handle: async () => ok({}),
      }),
    );

    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['200', '400', '413', '415', '500', '503']),
    );
    expect(operation.responses['413']).toMatchObject({
      description: 'Request body too large.',
      content: {
        'application/json': {
          schema: { properties: { error: { const: 1 } } },
          examples: {
            PAYLOAD_TOO_LARGE: { value: { error: 1, message: 'Request body too large' } },
          },
        },
      },
    });
    expect(operation.responses['200']).toMatchObject({
      description: expect.stringMatching(/^Saved Concurrent update/),
      content: {
        'application/json': {
          schema: {
            anyOf: [
              { properties: { error: { const: 0 } } },
              { properties: { error: { const: 1 } } },
            ],
          },
        },
      },
    });
    expect(JSON.stringify(operation.responses)).not.toContain('problem+json');
  });

  it('name the cookies that are read and set', () => {
    const operation = described(
      route({
        ...base,
        method: 'GET',
        cookies: z.strictObject({ login: z.string().describe('State of the login.') }),
        responses: { 200: { description: 'OK', setsCookies: { login: 'State of the login.' } } },
        handle: async () => ok({}),
      }),
    );

    expect(operation.parameters).toContainEqual({
      name: '__Host-login',
      in: 'cookie',
      description: 'State of the login.',
      required: true,
      schema: { type: 'string' },
    });
    expect(operation.responses['200']).toMatchObject({
      headers: { 'Set-Cookie': { description: '`__Host-login`: State of the login.' } },
    });
  });

  it('say that an answer is bytes', () => {
    const operation = described(
      route({
        ...base,
        method: 'GET',
        responses: { 200: { description: 'A file', contentType: 'image/png', isBinary: true } },
        handle: async () => ok(Buffer.from('')),
      }),
    );

    expect(operation.responses['200']).toMatchObject({
      content: { 'image/png': { schema: { type: 'string', format: 'binary' } } },
    });
  });

  it('say when to come back after too many requests, besides what the gateway refuses', () => {
    const { components, paths } = describeRoutes(
      aRoute({
        problems: [limitProblems.tooManyRequests],
      }),
    );
    const reference = paths['/things']?.get?.responses['429'] as Reference | undefined;

    expect(components.responses?.[reference?.$ref.split('/').at(-1) ?? '']).toMatchObject({
      headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
      content: { 'application/problem+json': {}, 'application/json': {} },
    });
  });
});

describe('a route with a schema that throws', () => {
  it.each<[string, Partial<RouteSpec>]>([
    ['its query', { query: () => broken() }],
    ['an answer', { responses: { 200: { description: 'Things', schema: () => broken() } } }],
  ])('is named: %s', (_part, changes) => {
    expect(() => describeRoute(changes)).toThrow(
      'The route getThing (GET /things) of the module things cannot be described: Error: no such list',
    );
  });
});

function broken(): never {
  throw new Error('no such list');
}
