import { describe, expect, it } from 'vitest';
import { allowedOrigin } from '../helpers/cloud/allowed-origin.ts';
import { cloud } from '../helpers/cloud/cloud.ts';

const preflight = (origin: string) =>
  fetch(`${cloud.baseUrl}/api/v1/setting/save`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,if-match,idempotency-key',
    },
  });

describe('a call from another origin', () => {
  it('is announced and allowed from a configured one', async () => {
    const answer = await preflight(allowedOrigin);

    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(allowedOrigin);
    expect(answer.headers.get('access-control-allow-methods')).toMatch(/POST|\*/);
    const headers = answer.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    for (const name of ['authorization', 'content-type', 'if-match', 'idempotency-key']) {
      expect(headers).toContain(name);
    }
  });

  it('is not allowed from any other', async () => {
    const answer = await preflight('https://elsewhere.example.com');

    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('lets the page read an error and its trace', async () => {
    const answer = await fetch(`${cloud.baseUrl}/api/v1/setting/x`, {
      headers: { origin: allowedOrigin },
    });

    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe(allowedOrigin);
    expect(answer.headers.get('access-control-expose-headers')?.toLowerCase()).toContain(
      'x-trace-id',
    );
  });
});
