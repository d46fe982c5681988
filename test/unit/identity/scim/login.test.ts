import { afterEach, describe, expect, it } from 'vitest';
import type { ScimConfig } from '../../../../functions/identity/providers/scim/connection.ts';
import { SourceError } from '../../../../functions/identity/providers/source-error.ts';
import {
  type Asked,
  type Script,
  scriptedSource,
  type Told,
} from '../../../helpers/scim/scripted-source.ts';

type Source = Awaited<ReturnType<typeof scriptedSource>>;
const open: Source[] = [];
const started = async (script: Script): Promise<Source> => {
  const source = await scriptedSource(script);
  open.push(source);
  return source;
};
afterEach(async () => {
  for (const source of open.splice(0)) await source.close();
});

/** A source with a token endpoint that gives out T1, T2 and so on, and accepts the newest. */
function withTokens(
  more: { readonly endpoint?: string; readonly expires?: number; readonly refusal?: Told } = {},
) {
  let given = 0;
  const forms: URLSearchParams[] = [];
  const script = ({ path, authorization, body }: Asked): Told | undefined => {
    if (path === '/.well-known/oauth-authorization-server') return { status: 404 };
    if (path === '/.well-known/openid-configuration') {
      return { body: { token_endpoint: more.endpoint ?? `${origin.of}/token` } };
    }
    if (path === '/token') {
      forms.push(new URLSearchParams(body));
      given += 1;
      return (
        more.refusal ?? { body: { access_token: `T${given}`, expires_in: more.expires ?? 3_600 } }
      );
    }
    return authorization === `Bearer T${given}` ? undefined : { status: 401 };
  };
  const origin = { of: '' };
  return { script, forms, origin, revoke: () => (given += 1) };
}
async function tokenSource(more?: Parameters<typeof withTokens>[0]) {
  const tokens = withTokens(more);
  const source = await started(tokens.script);
  tokens.origin.of = source.origin;
  return { ...source, ...tokens, origin: source.origin };
}
const read = (
  source: Pick<Source, 'client'>,
  config: Partial<ScimConfig> = { authMode: 'auto' },
  key?: string,
) => source.client(config, key).find('Users', 'id-1');
const code = (work: Promise<unknown>) =>
  work.then(
    () => 'read',
    (error: unknown) => (error instanceof SourceError ? error.code : error),
  );

describe('a login', () => {
  it('by name and password goes with every call', async () => {
    const source = await started(() => undefined);
    await read(source, { authMode: 'basic' });
    const expected = Buffer.from('admin:pass:wörd').toString('base64');
    expect(source.asked.map(({ authorization }) => authorization)).toEqual([`Basic ${expected}`]);
  });

  it('by the token endpoint that the source names is kept by source and version', async () => {
    const source = await tokenSource();
    await read(source);
    await read(source);
    expect(source.forms).toHaveLength(1);
    expect(Object.fromEntries(source.forms[0] ?? [])).toEqual({
      ...{ grant_type: 'password', username: 'admin', password: 'pass:wörd' },
    });
    await read(source, { authMode: 'auto' }, 'source:2');
    expect(source.forms).toHaveLength(2);
  });

  it.each([
    [{ expires: 100 }, { adminTokenTtlMinutes: 30 }, 70_000],
    [{ expires: 10_000 }, { adminTokenTtlMinutes: 2 }, 120_000],
  ])(
    'ends with what is shorter: the life of its token or the configured one',
    async (more, config, ms) => {
      const source = await tokenSource(more);
      await read(source, { authMode: 'auto', ...config });
      source.clock.advance(ms - 1);
      await read(source, { authMode: 'auto', ...config });
      expect(source.forms).toHaveLength(1);
      source.clock.advance(1);
      await read(source, { authMode: 'auto', ...config });
      expect(source.forms).toHaveLength(2);
    },
  );

  it('is repeated once when the source refuses its token', async () => {
    const source = await tokenSource();
    await read(source);
    source.revoke();
    expect(await read(source)).toMatchObject({ id: 'id-1' });
    expect(source.forms).toHaveLength(2);
  });

  it('is not repeated for ever', async () => {
    const source = await started(({ path }) => {
      if (path === '/token') return { body: { access_token: 'T' } };
      return { status: 401 };
    });
    const config = { authMode: 'token', tokenUrl: `${source.origin}/token` } as const;
    expect(await code(read(source, config))).toBe('LOGIN_FAILED');
    expect(source.asked.filter(({ path }) => path === '/token')).toHaveLength(2);
  });

  it('by password is one by name and password where the source has no such thing', async () => {
    const refusal = { status: 400, body: { error: 'unsupported_grant_type' } };
    const tokens = withTokens({ refusal });
    const source = await started((asked) =>
      asked.path.startsWith('/scim') ? undefined : tokens.script(asked),
    );
    tokens.origin.of = source.origin;
    await read(source);
    expect(source.asked.at(-1)?.authorization).toMatch(/^Basic /);
  });

  it('fails when the endpoint refuses the account', async () => {
    const source = await tokenSource({
      refusal: { status: 400, body: { error: 'invalid_grant' } },
    });
    expect(await code(read(source))).toBe('LOGIN_FAILED');
  });

  it('hands the password to no endpoint of another origin', async () => {
    const source = await tokenSource({ endpoint: 'https://elsewhere.example/token' });
    expect(await code(read(source))).toBe('ADDRESS_REFUSED');
    expect(source.forms).toEqual([]);
  });

  it('by client credentials sends them as a client', async () => {
    const source = await tokenSource();
    await read(source, { authMode: 'client_credentials', tokenUrl: `${source.origin}/token` });
    const asked = source.asked.find(({ path }) => path === '/token');
    expect(asked?.body).toBe('grant_type=client_credentials');
    const expected = Buffer.from('admin:pass%3Aw%C3%B6rd').toString('base64');
    expect(asked?.authorization).toBe(`Basic ${expected}`);
  });

  it('by a token of its own is that token', async () => {
    const source = await started(() => undefined);
    await read(source, { authMode: 'bearer', adminPassword: 'abc' });
    expect(source.asked[0]?.authorization).toBe('Bearer abc');
  });

  it.each<[string, Told]>([
    ['no token', { body: { expires_in: 1 } }],
    ['a token of two words', { body: { access_token: 'a b' } }],
    ['no JSON', { headers: { 'content-type': 'text/plain' }, body: 'token' }],
  ])('fails when the endpoint answers %s', async (_, refusal) => {
    const source = await tokenSource({ refusal });
    expect(await code(read(source))).toBe('BAD_ANSWER');
  });
});

describe('addresses', () => {
  it.each([
    'http://10.0.0.1/scim',
    'https://127.0.0.1/scim',
    'https://[::1]/scim',
    'https://169.254.169.254/scim',
    'ftp://x',
  ])('%s is not called', async (baseUrl) => {
    const source = await started(() => undefined);
    expect(await code(read(source, { authMode: 'basic', baseUrl }))).toBe('ADDRESS_REFUSED');
  });
});
