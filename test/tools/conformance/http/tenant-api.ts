import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenClaims } from '../../../../bin/dev/dev-issuer.ts';

/** How to reach a platform. */
export interface HttpTarget {
  /** Address without a slash at the end. */
  readonly baseUrl: string;
  readonly sign: (claims: TokenClaims) => Promise<string>;
  /** Left out: the global one. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>;
}

/** A call that the platform has refused. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;

  constructor(code: string, detail: string) {
    super(`${code}: ${detail}`);
    this.code = code;
  }
}

/** Who calls: a name, and the groups that stand for roles of the case. */
export interface Caller {
  readonly user: string;
  readonly groups: readonly string[];
}

interface ProblemBody {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly object[];
}

const CMMN = '/api/v1/workflow/cmmn';
/** Attempts of a call that comes too early. */
const MAX_ATTEMPTS = 5;

/** Calls the workflow API as users of one tenant, by public endpoints. */
export class TenantApi {
  readonly #target: HttpTarget;
  readonly #tenant: string;
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(target: HttpTarget, tenant: string) {
    this.#target = target;
    this.#tenant = tenant;
  }

  get<T>(path: string, caller: Caller): Promise<T> {
    return this.#call<T>('GET', path, caller);
  }

  post<T = unknown>(path: string, body: object, caller: Caller): Promise<T> {
    return this.#call<T>('POST', path, caller, body);
  }

  patch(path: string, body: object, caller: Caller): Promise<unknown> {
    return this.#call('PATCH', path, caller, body);
  }

  delete(path: string, caller: Caller): Promise<unknown> {
    return this.#call('DELETE', path, caller);
  }

  /** All entries of a list. */
  async all<T>(path: string, caller: Caller): Promise<readonly T[]> {
    const found: T[] = [];
    const first = `${path}${path.includes('?') ? '&' : '?'}size=200`;
    let next: string | undefined = first;
    while (next !== undefined) {
      const page: { readonly content: readonly T[]; readonly nextCursor?: string | null } =
        await this.get(next, caller);
      found.push(...page.content);
      next = page.nextCursor ? `${first}&cursor=${encodeURIComponent(page.nextCursor)}` : undefined;
    }
    return found;
  }

  /** @throws Refusal of a 4xx answer; Error of any other that is no success */
  async #call<T>(method: string, path: string, caller: Caller, body?: object): Promise<T> {
    const response = await this.#send(path, {
      method,
      headers: {
        authorization: `Bearer ${await this.#token(caller)}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
    const told = `${method} ${path} answered ${response.status}`;
    if (response.status >= 500) throw new Error(`${told}: ${text.slice(0, 300)}`);
    const { code = told, detail = '', errors } = JSON.parse(text) as ProblemBody;
    throw new Refusal(code, `${detail}${errors ? ` ${JSON.stringify(errors)}` : ''}`);
  }

  /** Sends a request again that was throttled, or that came before the runtime was ready: nothing was done then. */
  async #send(path: string, request: RequestInit): Promise<Response> {
    const { baseUrl, fetch: send = fetch } = this.#target;
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(`${baseUrl}${CMMN}${path}`, request);
      const { status, headers } = response;
      const seconds = headers.get('retry-after') ?? (status === 429 ? '1' : undefined);
      const isEarly = status === 429 || status === 503;
      if (!isEarly || seconds === undefined || attempt === MAX_ATTEMPTS) return response;
      await sleep(Number(seconds) * 1_000);
    }
  }

  #token({ user, groups }: Caller): Promise<string> {
    const key = JSON.stringify([user, groups]);
    const known =
      this.#tokens.get(key) ??
      this.#target.sign({ sub: user, groups, roles: ['admin'], tenant: this.#tenant });
    this.#tokens.set(key, known);
    return known;
  }
}
