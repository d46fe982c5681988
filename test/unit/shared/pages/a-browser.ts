import { createHash } from 'node:crypto';
import { Window } from 'happy-dom';

/** What the platform answers to the page, one after the other; the last one again and again. */
export interface PlatformAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call that the page has made. */
export interface PageCall {
  readonly address: string;
  readonly authorization: string | undefined;
  /** What it has already. */
  readonly etag?: string;
  /** What it sends, as JSON. */
  readonly sent?: unknown;
  /** Address of the page when it called. */
  readonly pageAddress: string;
}

/** Runs the script of a page as a browser does, with a platform and a clock of the test. */
export function openInBrowser(html: string, address: string, ...answers: PlatformAnswer[]) {
  const window = new Window({ url: address });
  window.document.write(html);
  const calls: PageCall[] = [];
  const timers: { readonly ms: number; readonly work: () => void }[] = [];
  const fetch = async (
    to: string,
    { headers, method, body: sent }: { headers: Record<string, string> } & RequestInit,
  ) => {
    calls.push({
      address: to,
      authorization: headers.authorization,
      pageAddress: window.location.href,
      ...(method === 'POST' && { sent: JSON.parse(String(sent)) }),
      ...(headers['if-none-match'] && { etag: headers['if-none-match'] }),
    });
    const answer = answers[Math.min(calls.length, answers.length) - 1];
    if (!answer) throw new TypeError('Failed to fetch');
    const { status = 200, body, headers: given = {} } = answer;
    return new Response(body === undefined || status === 304 ? null : JSON.stringify(body), {
      status,
      headers: given,
    });
  };
  const seen = {
    document: window.document,
    location: window.location,
    history: window.history,
    fetch,
    setTimeout: (work: () => void, ms: number) => timers.push({ ms, work }),
  };
  new Function('window', scriptOf(html))(seen);
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  return {
    window,
    calls,
    timers,
    settle,
    text: () => window.document.querySelector('main')?.textContent ?? '',
    /** Lets the pause that the page has asked for pass. */
    async pass() {
      timers.splice(0).forEach(({ work }) => {
        work();
      });
      await settle();
    },
  };
}

/** The text between the script tags of a page. */
export const scriptOf = (html: string): string =>
  /<script type="module">([\s\S]*)<\/script>/.exec(html)?.[1] ?? '';

/** The text between the style tags of a page. */
export const styleOf = (html: string): string => /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '';

/** A checksum as policies write it. */
export const sha256 = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
