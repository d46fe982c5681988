import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { PluginTokens } from '../../../../functions/editor/plugin/plugin-tokens.ts';
import { fieldReadersPort } from '../../../../functions/templates/port.ts';
import {
  aTemplatesApi,
  ofTenant,
  TEMPLATES,
  type TemplatesApi,
} from '../../templates/templates-api.ts';

const BUILTINS = '/api/v1/builtin-merge-fields';
const SECRET = 'the secret of the editing server';
const TOKEN_SECONDS = 3_600;

function tokensOf({ context }: TemplatesApi, secret = () => SECRET) {
  const port = fieldReadersPort.create(context);
  return new PluginTokens({
    secret: async () => secret(),
    readers: { isOn: true, use: () => port },
    clock: context.clock,
    tokenSeconds: TOKEN_SECONDS,
  });
}

const factsOf = (templateId?: string, tenant?: string) => ({
  ...{ documentId: 'd-1', templateId, templateType: 'TYPE_1' },
  principal: { id: 'an', ...(tenant !== undefined && { tenant }) },
});

async function aReader({ tenant }: { readonly tenant?: string } = {}) {
  const api = aTemplatesApi();
  const templateId = await api.aTemplate({}, tenant === undefined ? undefined : ofTenant(tenant));
  const tokens = tokensOf(api);
  const token = (await tokens.issue(factsOf(templateId, tenant))) ?? '';
  const read = (path: string, method = 'GET') => api.call({ method, path, token });
  return { api, tokens, templateId, token, read };
}

describe('the token of the plugin', () => {
  it('reads the merge fields of its template, and builtin ones', async () => {
    const { templateId, token, read } = await aReader({ tenant: 'north' });

    expect(decodeJwt(token)).toMatchObject({
      ...{ typ: 'docs-plugin', did: 'd-1', tid: templateId, tt: 'TYPE_1', sub: 'an', tn: 'north' },
    });
    expect(await read(`${TEMPLATES}/${templateId}/merge-fields`)).toMatchObject({
      ...{ status: 200, body: { templateId, fields: [] } },
    });
    expect((await read(`${BUILTINS}?size=200`)).status).toBe(200);
  });

  it('shows the constants of its tenant alone', async () => {
    const { api, read } = await aReader({ tenant: 'north' });
    const constant = { code: 'hotline', label: 'Đường dây nóng', value: '1900 1234' };
    await api.post(BUILTINS, { ...constant, code: 'north_line' }, { caller: ofTenant('north') });
    await api.post(BUILTINS, { ...constant, code: 'south_line' }, { caller: ofTenant('south') });

    const { text } = await read(`${BUILTINS}?category=CONSTANT`);

    expect(text).toContain('north_line');
    expect(text).not.toContain('south_line');
  });

  it('is for one template', async () => {
    const { api, read, tokens } = await aReader();
    const other = await api.aTemplate();
    const ofNone = (await tokens.issue(factsOf())) ?? '';

    const path = `${TEMPLATES}/${other}/merge-fields`;
    expect(await read(path)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await api.call({ method: 'GET', path, token: ofNone })).status).toBe(403);
    expect((await api.call({ method: 'GET', path: BUILTINS, token: ofNone })).status).toBe(200);
  });

  it.each([
    ['GET', ''],
    ['GET', '/{id}'],
    ['PUT', '/{id}/merge-fields'],
    ['GET', '/{id}/merge-fields/inspect'],
    ['GET', '/{id}/generations'],
    ['POST', '/{id}/generate'],
    ['DELETE', '/{id}'],
  ])('opens no other route: %s /templates%s', async (method, path) => {
    const { read, templateId } = await aReader();

    expect(await read(TEMPLATES + path.replace('{id}', templateId), method)).toMatchObject({
      ...{ status: 401, body: { code: 'UNAUTHENTICATED' } },
    });
  });

  it.each([
    ['GET', `${BUILTINS}/today`],
    ['POST', BUILTINS],
    ['POST', `${BUILTINS}/resolve`],
  ])('opens no other route: %s %s', async (method, path) => {
    expect((await (await aReader()).read(path, method)).status).toBe(401);
  });

  it('ends with its time, that of its tenant too', async () => {
    const { api, read, templateId } = await aReader();
    const path = `${TEMPLATES}/${templateId}/merge-fields`;

    api.context.machineClock.advance((TOKEN_SECONDS - 1) * 1_000);
    expect((await read(path)).status).toBe(200);
    api.context.machineClock.advance(1_000);
    expect(await read(path)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  });

  it('is signed by a key that templates know, and whose secret they do not have', async () => {
    const { api, token, templateId } = await aReader();
    const { kid = '' } = decodeProtectedHeader(token);
    const stored = JSON.stringify(api.context.db.items());

    expect(stored).toContain(kid);
    expect(stored).not.toContain(SECRET);
    const forger = generateKeyPairSync('ed25519').privateKey;
    const forge = (key: Parameters<SignJWT['sign']>[0], header: { alg: string; kid: string }) =>
      new SignJWT({ ...decodeJwt(token) })
        .setProtectedHeader({ typ: 'docs-plugin+jwt', ...header })
        .sign(key);
    const forged = [
      await forge(forger, { alg: 'EdDSA', kid }),
      await forge(forger, { alg: 'EdDSA', kid: 'A'.repeat(43) }),
      await forge(forger, { alg: 'EdDSA', kid: '../setting' }),
      await forge(Buffer.from(SECRET), { alg: 'HS256', kid }),
      `${token.slice(0, -4)}AAAA`,
    ];
    for (const each of forged) {
      const path = `${TEMPLATES}/${templateId}/merge-fields`;
      expect((await api.call({ method: 'GET', path, token: each })).status).toBe(401);
    }
  });

  it('follows a secret that is replaced; what was signed before stays good', async () => {
    const { api, templateId } = await aReader();
    let secret = SECRET;
    const tokens = tokensOf(api, () => secret);
    const before = await tokens.issue(factsOf(templateId));
    secret = 'another secret of the editing server';
    const after = await tokens.issue(factsOf(templateId));

    for (const token of [before, after]) {
      const path = `${TEMPLATES}/${templateId}/merge-fields`;
      expect((await api.call({ method: 'GET', path, token: token ?? '' })).status).toBe(200);
    }
    expect(decodeProtectedHeader(before ?? '').kid).not.toBe(
      decodeProtectedHeader(after ?? '').kid,
    );
  });

  it('publishes its key once a day', async () => {
    const { api, tokens, templateId } = await aReader();
    const cost = () => api.context.db.meter.costOf(() => tokens.issue(factsOf(templateId)));

    expect((await cost()).requests).toEqual([]);
    api.context.machineClock.advance(90_000_000);
    expect((await cost()).requests).toEqual(['TransactWriteItems 1']);
    expect((await cost()).requests).toEqual([]);
  });

  it('is not made without templates', async () => {
    const tokens = new PluginTokens({
      secret: async () => SECRET,
      readers: { isOn: false, use: () => expect.fail('there is no port') },
      clock: { now: () => 0 },
      tokenSeconds: TOKEN_SECONDS,
    });

    expect(await tokens.issue(factsOf())).toBeUndefined();
  });
});
