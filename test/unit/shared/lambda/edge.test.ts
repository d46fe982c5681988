import { describe, expect, it } from 'vitest';
import { aContext, connect } from '../../../helpers/world/a-context.ts';
import { aPipelineModule } from './a-module.ts';

function behindEdge(edgeSecret?: string) {
  const context = aContext();
  const environment = { ...context.environment, ...(edgeSecret && { edgeSecret }) };
  const { call } = connect(aPipelineModule, { ...context, environment });
  return (path: string, headers: Record<string, string> = {}) =>
    call({ method: 'GET', path, headers });
}

describe('a request behind CloudFront', () => {
  it('passes with what CloudFront sends, whatever the case of the header', async () => {
    const get = behindEdge('s3cret');

    expect((await get('/things/7', { 'x-svc-edge': 's3cret' })).status).toBe(200);
    expect((await get('/things/7', { 'X-Svc-Edge': 's3cret' })).status).toBe(200);
  });

  it.each([undefined, '', 's3cre', 's3cret ', 'S3CRET', 's3cret,s3cret'])(
    'that goes past it is refused before anything else: %j',
    async (header) => {
      const get = behindEdge('s3cret');
      const headers: Record<string, string> = header === undefined ? {} : { 'x-svc-edge': header };

      for (const path of ['/things/7', '/access/permission', '/nowhere']) {
        const { status, body } = await get(path, headers);

        expect(status).toBe(403);
        expect(body).toMatchObject({ code: 'EDGE_REQUIRED' });
      }
    },
  );

  it('needs nothing where there is no CloudFront', async () => {
    expect((await behindEdge()('/things/7')).status).toBe(200);
  });
});
