import type { PageElement, PageWindow } from './browser.ts';

/** API of a page's code. */
export interface PageTools {
  /** Path of the page. */
  readonly path: string;
  /** Whether the link contained a token. */
  readonly hasToken: boolean;
  /**
   * Calls the platform with the caller's token.
   * @param path on the page's own origin
   * @param etag of the last reading: the status is 304 when nothing has changed since
   */
  read(path: string, etag?: string): Promise<PageReading>;
  /** Posts JSON without a token: what is sent says who the caller is. @param path on the page's own origin */
  send(path: string, body: unknown): Promise<PageReading>;
  /** A parameter of the address, which it is taken out of. */
  take(name: string): string | undefined;
  /** Creates an element with a text, which is never parsed as HTML. */
  element(tag: string, text?: string, attributes?: Readonly<Record<string, string>>): PageElement;
  /** Creates an element of a drawing (SVG). */
  drawn(tag: string, attributes?: Readonly<Record<string, string>>, text?: string): PageElement;
  /** Replaces what the page shows. */
  show(...elements: readonly PageElement[]): void;
  after(ms: number, work: () => void): void;
}

/** Response of the platform; status 0 when it could not be reached. */
export interface PageReading {
  readonly status: number;
  /** Parsed JSON; `undefined` when there is none. */
  readonly body: unknown;
  readonly etag?: string | undefined;
  /** Delay from `Retry-After`, in ms; at most an hour. */
  readonly retryAfterMs: number;
}

/** The code of a page. It runs in the browser, so it may use nothing but its parameters. */
export type ShowPage<S> = (tools: PageTools, settings: S) => void;

/**
 * Starts a page in the browser. The token is in the fragment of the link, which browsers never send; it is
 * removed from the address at once and kept only in memory.
 *
 * The function is sent to the browser as source text: it must not use anything outside itself.
 */
export function openPage<S>(window: PageWindow, showPage: ShowPage<S>, settings: S): void {
  const LONGEST_WAIT_MS = 3_600_000;
  const { document, location, history } = window;
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash !== '')
    history.replaceState(null, '', location.origin + location.pathname + location.search);
  const root = document.querySelector('main');

  const unreachable = { status: 0, body: undefined, retryAfterMs: 0 };
  const call = async (
    path: string,
    headers: Readonly<Record<string, string>>,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<PageReading> => {
    try {
      // Prefix the origin, so that no path can address another host.
      const response = await window.fetch(location.origin + path, {
        ...more,
        headers: { accept: 'application/json', ...headers },
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
      });
      const seconds = Number(response.headers.get('retry-after') ?? 0);
      const body = await response.json().catch(() => undefined);
      // A timer of more than 2^31 ms fires at once.
      const retryAfterMs = seconds > 0 ? Math.min(seconds * 1_000, LONGEST_WAIT_MS) : 0;
      const etag = response.headers.get('etag') ?? undefined;
      return { status: response.status, body, etag, retryAfterMs };
    } catch {
      return unreachable;
    }
  };
  const read: PageTools['read'] = (path, known) =>
    call(path, {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(known && { 'if-none-match': known }),
    });
  const send: PageTools['send'] = (path, body) =>
    call(
      path,
      { 'content-type': 'application/json' },
      { method: 'POST', body: JSON.stringify(body) },
    );
  const take: PageTools['take'] = (name) => {
    const query = new URLSearchParams(location.search);
    const value = query.get(name);
    query.delete(name);
    const rest = query.size > 0 ? `?${query}` : '';
    history.replaceState(null, '', location.origin + location.pathname + rest);
    return value ?? undefined;
  };

  const filled = (
    made: PageElement,
    text: string,
    attributes: Readonly<Record<string, string>>,
  ): PageElement => {
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const element: PageTools['element'] = (tag, text = '', attributes = {}) =>
    filled(document.createElement(tag), text, attributes);
  const drawn: PageTools['drawn'] = (tag, attributes = {}, text = '') =>
    filled(document.createElementNS('http://www.w3.org/2000/svg', tag), text, attributes);

  showPage(
    {
      path: location.pathname,
      hasToken: token !== null && token !== '',
      read,
      send,
      take,
      element,
      drawn,
      show: (...elements) => root?.replaceChildren(...elements),
      after: (ms, work) => void window.setTimeout(work, ms),
    },
    settings,
  );
}
