import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/**
 * Calls a URL over a connection that is kept: by POST when there is a body, else by GET.
 * @throws Error for an answer that is none of success
 */
export function call(url: string, token: string, body?: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers, method: body ? 'POST' : 'GET' }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const failed = (response.statusCode ?? 500) >= 300;
        if (failed) reject(new Error(`${url} answered ${response.statusCode}: ${text}`));
        else resolve(text);
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
