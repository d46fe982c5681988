import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ScimConfig } from '../../../functions/identity/providers/scim/connection.ts';
import { Logins } from '../../../functions/identity/providers/scim/login.ts';
import { ScimClient } from '../../../functions/identity/providers/scim/scim-client.ts';
import { createHttpClient } from '../../../shared/http-client/http-client.ts';
import { startServer } from '../hostile-server.ts';
import { fakeClock } from '../world/fake-clock.ts';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A request, as far as scripts look at it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface Told {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Answers that are not the usual ones; `undefined`: the usual one. */
export type Script = (asked: Asked, count: number) => Told | undefined;

/** A page as a source that keeps to the rules gives it. */
export function listPage(all: readonly { readonly id: string }[], { query }: Pick<Asked, 'query'>) {
  const startIndex = Number(query.get('startIndex') ?? 1);
  const count = Number(query.get('count') ?? 100);
  const Resources = all.slice(startIndex - 1, startIndex - 1 + count);
  return {
    ...{ schemas: [LIST], totalResults: all.length, startIndex },
    ...{ itemsPerPage: Resources.length, Resources },
  };
}

/** Users named after their numbers. */
export const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, userName: `user-${index}` }));

/** A source on this machine that answers as a test wishes, and a client of it. */
export async function scriptedSource(script: Script = () => undefined, users = numbered(5)) {
  const asked: Asked[] = [];
  const server = await startServer((request, response) => {
    void bodyOf(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://source');
      const { authorization } = request.headers;
      const one = { method: request.method ?? '', path: url.pathname, query: url.searchParams };
      asked.push({ ...one, authorization, body });
      answer(response, script({ ...one, authorization, body }, asked.length) ?? usual(one, users));
    });
  });
  const clock = fakeClock();
  const pauses: number[] = [];
  const http = createHttpClient({ namedOrigins: [server.origin] });
  const logins = new Logins(clock);
  const dependencies = {
    ...{ http, clock, requestsPerSecond: 1_000, random: () => 1 },
    pause: async (ms: number) => {
      pauses.push(ms);
      clock.advance(ms);
    },
  };
  const config: ScimConfig = {
    ...{ baseUrl: `${server.origin}/scim/v2`, adminUsername: 'admin', adminPassword: 'pass:wörd' },
    ...{ adminTokenTtlMinutes: 30, authMode: 'basic' },
  };
  return {
    ...{ asked, pauses, clock, config, origin: server.origin, http, dependencies },
    client: (more: Partial<ScimConfig> = {}, key = 'source:1') =>
      new ScimClient({ key, config: { ...config, ...more } }, dependencies, logins),
    close: async () => {
      await http.close();
      await server.close();
    },
  };
}

function usual(
  asked: Pick<Asked, 'path' | 'query'>,
  users: readonly { readonly id: string }[],
): Told {
  const path = asked.path.replace('/scim/v2', '');
  if (path === '/ServiceProviderConfig') {
    return { body: { filter: { supported: true, maxResults: 2 }, sort: { supported: false } } };
  }
  if (path === '/Users') return { body: listPage(users, asked) };
  if (path === '/Groups') return { body: listPage([], asked) };
  const found = users.find(({ id }) => path === `/Users/${id}`);
  return found ? { body: found } : { status: 404, body: {} };
}

function answer(response: ServerResponse, { status = 200, headers = {}, body }: Told): void {
  response.writeHead(status, { 'content-type': 'application/scim+json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
