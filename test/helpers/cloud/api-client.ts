import type { OpenApiDocument } from '../../../shared/openapi/document.ts';
import { type CheckAnswer, createAnswerCheck } from '../api/check-answer.ts';

/** A request of a journey. */
export interface ApiRequest {
  /** Sent as JSON; text and bytes are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** Another token for this request; `null` sends none. */
  readonly token?: string | null;
}

/** An answer that the document allows. */
export interface ApiAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, else the text; `undefined` when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a journey reads members; the document has checked them
  readonly body: any;
  /** The body as it came. */
  readonly text: string;
}

type Call = (path: string, request?: ApiRequest) => Promise<ApiAnswer>;

/** Calls the API; every answer is held against the OpenAPI document that the platform serves. */
export interface ApiClient {
  readonly get: Call;
  readonly head: Call;
  readonly post: Call;
  readonly put: Call;
  readonly patch: Call;
  readonly delete: Call;
  readonly send: (method: string, path: string, request?: ApiRequest) => Promise<ApiAnswer>;
  /** The same client with another token. */
  readonly as: (token: string | null) => ApiClient;
}

/** Where the API is and who calls. */
export interface ApiClientOptions {
  /** Address without a slash at the end. */
  readonly baseUrl: string;
  /** Bearer token; none when left out. */
  readonly token?: string | null;
}

/**
 * Makes a client for a journey.
 * @example
 * const api = createApiClient({ baseUrl: cloud.baseUrl, token: await cloud.token({ sub: 'mai', roles: ['admin'] }) });
 * const { status, body } = await api.get('/api/v1/setting/mail.from');
 */
export function createApiClient({ baseUrl, token = null }: ApiClientOptions): ApiClient {
  const send: ApiClient['send'] = async (method, path, request = {}) => {
    const url = new URL(`${baseUrl}${path}`);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      url.searchParams.set(name, String(value));
    }
    const response = await fetch(url, toInit(method, request, token));
    const answer = await readAnswer(response);
    const check = await answerCheck(baseUrl);
    const findings = check({ ...answer, method, path: url.pathname });
    if (findings.length > 0) {
      throw new Error(
        `The answer is not as documented:\n  ${findings.join('\n  ')}\n${answer.text}`,
      );
    }
    return answer;
  };
  const bind =
    (method: string): Call =>
    (path, request) =>
      send(method, path, request);
  return {
    get: bind('GET'),
    head: bind('HEAD'),
    post: bind('POST'),
    put: bind('PUT'),
    patch: bind('PATCH'),
    delete: bind('DELETE'),
    send,
    as: (other) => createApiClient({ baseUrl, token: other }),
  };
}

function toInit(method: string, request: ApiRequest, token: string | null): RequestInit {
  const bearer = request.token === undefined ? token : request.token;
  const isRaw = typeof request.body === 'string' || request.body instanceof Uint8Array;
  const headers = {
    ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...request.headers,
  };
  if (request.body === undefined) return { method, headers };
  const body = isRaw
    ? (request.body as string | Uint8Array<ArrayBuffer>)
    : JSON.stringify(request.body);
  return { method, headers, body };
}

async function readAnswer(response: Response): Promise<ApiAnswer> {
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(headers['content-type'] ?? '');
  const body = text === '' ? undefined : isJson ? JSON.parse(text) : text;
  return { status: response.status, headers, text, body };
}

const checks = new Map<string, Promise<CheckAnswer>>();

/** One check for each platform: its document is read once. */
function answerCheck(baseUrl: string): Promise<CheckAnswer> {
  const check = checks.get(baseUrl) ?? readCheck(baseUrl);
  checks.set(baseUrl, check);
  return check;
}

async function readCheck(baseUrl: string): Promise<CheckAnswer> {
  const response = await fetch(`${baseUrl}/api/v1/openapi.json`);
  if (!response.ok) throw new Error(`The platform serves no document: ${response.status}`);
  return createAnswerCheck((await response.json()) as OpenApiDocument);
}
