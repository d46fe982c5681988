import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { setCookieLine } from '../../../../shared/http/cookies.ts';
import { ok } from '../../../../shared/http/reply.ts';
import { capability, route } from '../../../../shared/http/route.ts';
import type { Module } from '../../../../shared/lambda/module-context.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const shared = {
  summary: 'Keeps a state in a cookie',
  access: capability,
  responses: { 200: { description: 'OK' } },
};

function aLogin(): Module {
  return {
    routes: [
      route({
        ...shared,
        operationId: 'login',
        method: 'GET',
        path: '/login',
        handle: async () => ({
          ...ok({}),
          cookies: [
            { name: 'login', value: 'a b;c=ü', maxAgeSeconds: 600 },
            { name: 'old', value: '', maxAgeSeconds: 0, sameSite: 'strict' },
          ],
        }),
      }),
      route({
        ...shared,
        operationId: 'callback',
        method: 'GET',
        path: '/callback',
        cookies: z.strictObject({ login: z.string().max(20).optional() }),
        handle: async ({ cookies }) => ok({ cookies }),
      }),
      route({
        ...shared,
        operationId: 'strictCallback',
        method: 'GET',
        path: '/strict',
        cookies: z.strictObject({ login: z.string() }),
        handle: async ({ cookies }) => ok({ cookies }),
      }),
    ],
  };
}

function aBrowser(stage: string) {
  const context = aContext();
  const { call } = connect(aLogin, {
    ...context,
    environment: { ...context.environment, stage },
  });
  return (path: string, cookies?: string[], headers = {}) =>
    call({ method: 'GET', path, headers, ...(cookies && { cookies }) });
}

describe('a cookie that an answer sets', () => {
  it('belongs to the host alone, travels with TLS alone and is hidden from scripts', async () => {
    const { cookies } = await aBrowser('prod')('/login');

    expect(cookies).toEqual([
      '__Host-login=a%20b%3Bc%3D%C3%BC; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax',
      '__Host-old=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict',
    ]);
  });

  it('goes without prefix and Secure on the stage local, where there is no TLS', async () => {
    const { cookies } = await aBrowser('local')('/login');

    expect(cookies[0]).toBe(
      'login=a%20b%3Bc%3D%C3%BC; Max-Age=600; Path=/; HttpOnly; SameSite=Lax',
    );
  });

  it.each(['a b', 'a=b', 'a;b', 'a\r\nb', ''])('cannot have the name %j', (name) => {
    expect(() => setCookieLine({ name, value: 'x' }, false)).toThrow(TypeError);
  });

  it('cannot bring a line of its own in by its value', () => {
    const line = setCookieLine({ name: 'a', value: 'x\r\nSet-Cookie: y; z' }, false);

    expect(line).toMatch(/^__Host-a=x%0D%0ASet-Cookie%3A%20y%3B%20z; Path/);
  });
});

describe('a cookie that a request brings', () => {
  it('comes back as it was set', async () => {
    const browse = aBrowser('prod');
    const { cookies } = await browse('/login');

    const answer = await browse('/callback', [cookies[0]?.split(';')[0] ?? '', 'other=1']);

    expect(answer.body).toEqual({ cookies: { login: 'a b;c=ü' } });
  });

  it('is read from the header where the gateway names no cookies', async () => {
    const answer = await aBrowser('prod')('/callback', undefined, {
      cookie: 'x=1; __Host-login=state',
    });

    expect(answer.body).toEqual({ cookies: { login: 'state' } });
  });

  it('does not count without the prefix where there is TLS', async () => {
    const answer = await aBrowser('prod')('/callback', ['login=planted']);

    expect(answer.body).toEqual({ cookies: {} });
  });

  it('counts without the prefix on the stage local', async () => {
    const answer = await aBrowser('local')('/callback', ['login=state']);

    expect(answer.body).toEqual({ cookies: { login: 'state' } });
  });

  it.each([
    ['/callback', '__Host-login=123456789012345678901', 'TOO_BIG'],
    ['/strict', 'other=1', 'REQUIRED'],
  ])('is refused on %s when it is %s', async (path, cookie, code) => {
    const answer = await aBrowser('prod')(path, [cookie]);

    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PARAMETER', errors: [{ parameter: 'login', code }] },
    });
  });

  it.each(['__Host-login=%E0%A4%A', '=;;=', '__proto__=x; __Host-__proto__=y', ''])(
    'that is malformed makes no error: %j',
    async (cookie) => {
      const answer = await aBrowser('prod')('/callback', [cookie]);

      expect(answer.status).toBe(200);
    },
  );
});
