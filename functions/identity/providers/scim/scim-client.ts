import type { HttpAnswer, HttpRequest } from '../../../../shared/http-client/contract.ts';
import { once } from '../../../../shared/primitives/once.ts';
import type { Resource } from '../../domain/directory/scim-path.ts';
import { quoted } from '../filter.ts';
import type {
  Capabilities,
  IdentitySourceClient,
  ListRequest,
  ProvisionedUser,
  ResourceKind,
  ResourcePage,
} from '../provider.ts';
import { SourceError } from '../source-error.ts';
import { callSource } from './call.ts';
import type { ScimConnection, ScimDependencies } from './connection.ts';
import type { Logins } from './login.ts';
import { newUser } from './new-user.ts';
import { Pacer } from './pacer.ts';
import { firstPosition, pageQuery, readPage } from './pages.ts';
import { objectAt, readJson, tryJson } from './read-json.ts';

const MAX_PAGE = 200;
const MIN_PAGE = 10;
const ACCEPT = 'application/scim+json, application/json';

/** A SCIM 2.0 service provider. @see RFC 7644 */
export class ScimClient implements IdentitySourceClient {
  readonly #connection: ScimConnection;
  readonly #logins: Logins;
  readonly #dependencies: ScimDependencies & { readonly pacer: Pacer };
  readonly #capabilities: () => Promise<Capabilities>;

  constructor(connection: ScimConnection, dependencies: ScimDependencies, logins: Logins) {
    const { requestsPerSecond, clock, pause } = dependencies;
    this.#connection = connection;
    this.#logins = logins;
    this.#dependencies = { ...dependencies, pacer: new Pacer(requestsPerSecond, clock, pause) };
    this.#capabilities = once(() => this.#discover());
  }

  capabilities(): Promise<Capabilities> {
    return this.#capabilities();
  }

  /** A page that is too large for the source or the line is asked for again in halves. */
  async page(request: ListRequest): Promise<ResourcePage> {
    const capabilities = await this.#capabilities();
    let position = request.position ?? firstPosition(capabilities);
    for (;;) {
      const query = pageQuery(request, position, capabilities);
      try {
        const answer = await this.#get(`/${request.kind}`, query);
        demandList(answer, request);
        return readPage(answer, position);
      } catch (error) {
        const isTooMuch =
          error instanceof SourceError &&
          (error.status === 413 || error.code === 'TOO_LARGE' || error.code === 'TIMEOUT');
        if (!isTooMuch || position.size <= MIN_PAGE) throw error;
        position = { ...position, size: Math.max(MIN_PAGE, Math.floor(position.size / 2)) };
      }
    }
  }

  async find(kind: ResourceKind, id: string): Promise<Resource | undefined> {
    if (!isAddressable(id)) throw new SourceError('BAD_ANSWER', 'The id cannot be asked for');
    const answer = await this.#get(`/${kind}/${encodeURIComponent(id)}`);
    if (answer.status === 404 || answer.status === 410) return undefined;
    if (answer.status !== 200) throw refusal(answer);
    const resource = readJson(answer);
    if (resource.id === id) return resource;
    throw new SourceError('BAD_ANSWER', 'The source answers with another object');
  }

  async count(kind: ResourceKind, filter?: string): Promise<number> {
    const query = { count: '0', ...(filter !== undefined && { filter }) };
    const answer = await this.#get(`/${kind}`, query);
    demandList(answer, { kind, filter });
    const total = Number(readJson(answer).totalResults);
    if (Number.isInteger(total) && total >= 0) return total;
    throw new SourceError('BAD_ANSWER', 'The source does not tell how many objects it has');
  }

  async createUser(
    user: ProvisionedUser,
  ): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const body = newUser(user, this.#connection.config.domainOverride);
    const answer = await this.#send(this.#url('/Users'), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/scim+json' },
    });
    if (answer.status === 201) return { id: String(readJson(answer).id), isNew: true };
    if (answer.status !== 409) throw refusal(answer);
    const filter = `userName eq ${quoted(body.userName)}`;
    const { resources } = await this.page({ kind: 'Users', filter });
    const [known, ...others] = resources;
    if (known && others.length === 0) return { id: String(known.id), isNew: false };
    throw new SourceError('REQUEST_REFUSED', 'The source refuses the user', { status: 409 });
  }

  async #discover(): Promise<Capabilities> {
    const { authMode } = await this.#login();
    const answer = await this.#get('/ServiceProviderConfig');
    if (answer.status === 404) return { authMode, ...UNKNOWN };
    if (answer.status !== 200) throw refusal(answer);
    const told = readJson(answer);
    const most = Number(objectAt(told, 'filter').maxResults);
    const pagination = objectAt(told, 'pagination');
    return {
      authMode,
      filter: objectAt(told, 'filter').supported === true,
      sort: objectAt(told, 'sort').supported === true,
      cursorPaging: pagination.cursor === true && pagination.index !== true,
      maxResults: most > 0 ? Math.min(MAX_PAGE, most) : MAX_PAGE,
    };
  }

  #get(path: string, query: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    const url = this.#url(path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return this.#send(url, {});
  }

  #url(path: string): URL {
    return new URL(`${this.#connection.config.baseUrl.replace(/\/+$/, '')}${path}`);
  }

  /** A token may have ended before its time: then there is one more login. */
  async #send(url: URL, request: HttpRequest): Promise<HttpAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const { authorization } = await this.#login();
      const headers = { accept: ACCEPT, ...request.headers, authorization };
      const answer = await callSource(url, { ...request, headers }, this.#dependencies);
      if (answer.status !== 401) return answer;
      const mayRepeat = this.#logins.forget(this.#connection);
      if (!mayRepeat || attempt === 2) {
        throw new SourceError('LOGIN_FAILED', 'The source refuses the admin account', {
          status: 401,
        });
      }
    }
  }

  #login() {
    return this.#logins.of(this.#connection, (url, request) =>
      callSource(url, request, this.#dependencies),
    );
  }
}

/** Of an address with a dot segment something else would be asked, and its 404 would be believed. */
const isAddressable = (id: string): boolean => id.isWellFormed() && id !== '.' && id !== '..';

const UNKNOWN = { filter: false, sort: false, cursorPaging: false, maxResults: MAX_PAGE };

function demandList(answer: HttpAnswer, { filter }: ListRequest): void {
  if (answer.status === 200) return;
  const isOfFilter =
    filter !== undefined &&
    (answer.status === 501 ||
      (answer.status === 400 && tryJson(answer).scimType === 'invalidFilter'));
  if (!isOfFilter) throw refusal(answer);
  throw new SourceError('FILTER_REFUSED', 'The source does not know the filter', {
    status: answer.status,
  });
}

const refusal = ({ status }: HttpAnswer): SourceError =>
  status === 403
    ? new SourceError('LOGIN_FAILED', 'The admin account may not read the source', { status })
    : new SourceError('REQUEST_REFUSED', `The source answers ${status}`, { status });
