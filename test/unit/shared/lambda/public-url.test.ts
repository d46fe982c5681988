import { describe, expect, it } from 'vitest';
import { ok, publicAccess, route } from '../../../../shared/module/function.ts';
import { publicUrl } from '../../../../shared/primitives/public-url.ts';
import { runInContext } from '../../../../shared/primitives/request-context.ts';
import { aContext, connect } from '../../../helpers/world/a-context.ts';

const FORGED = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'gopher',
  'x-forwarded-port': '666',
  forwarded: 'host=evil.example;proto=http',
  'x-original-host': 'evil.example',
};

function linkFor(headers: Readonly<Record<string, string>>, configured?: string) {
  const context = aContext(configured ? { svc: { 'web.public-url': configured } } : {});
  const api = connect(
    () => ({
      routes: [
        route({
          operationId: 'getLink',
          method: 'GET',
          path: '/link',
          summary: 'Returns a link',
          access: publicAccess,
          responses: { 200: { description: 'OK' } },
          handle: async () => ok({ link: `${publicUrl(context.config.web)}/things/1` }),
        }),
      ],
    }),
    context,
  );
  return api.call({ method: 'GET', path: '/link', headers, caller: null });
}

describe('an absolute link', () => {
  it.each([
    ['as the gateway calls itself', {}],
    ['whatever the caller says', FORGED],
  ])('begins with the name of the gateway, %s', async (_, headers) => {
    const { body } = await linkFor(headers);

    // The stage local is reached without TLS.
    expect(body.link).toBe('http://api.example.com/things/1');
  });

  it.each([{}, FORGED])('begins with the configured address: %j', async (headers) => {
    const { body } = await linkFor(headers, 'https://shop.example/platform');

    expect(body.link).toBe('https://shop.example/platform/things/1');
  });

  it('is a path where neither is known', () => {
    expect(publicUrl({ publicUrl: '' })).toBe('');
    expect(runInContext({ traceId: 'a' }, () => publicUrl({ publicUrl: '' }))).toBe('');
  });
});
