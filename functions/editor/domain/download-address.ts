/** Where documents may be downloaded from. */
export interface DownloadOrigins {
  readonly documentServerUrl: string;
  readonly internalUrl?: string | undefined;
  readonly others: readonly string[];
}

/** What the editing server's own addresses have in common. */
const CACHE = '/cache/files/';

/**
 * The address that a save is fetched from: always one of the editing server. The host in a callback is what some browser
 * has sent to the editing server in a header, so that a signature says nothing about it.
 * @returns `undefined` for an address that is none of the editing server
 */
export function downloadAddress(
  given: string,
  { documentServerUrl, internalUrl, others }: DownloadOrigins,
): string | undefined {
  if (!URL.canParse(given)) return undefined;
  const url = new URL(given);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    return undefined;
  }
  const server = new URL(documentServerUrl);
  const own = internalUrl === undefined ? server : new URL(internalUrl);
  if (url.origin === own.origin && own.origin !== server.origin) return url.href;
  if (url.origin === server.origin) {
    return own === server ? url.href : onto(own, url, withoutPrefix(url.pathname, server));
  }
  if (others.some((other) => new URL(other).origin === url.origin)) return url.href;
  const at = url.pathname.indexOf(CACHE);
  return at < 0 ? undefined : onto(own, url, url.pathname.slice(at));
}

/** Identity of a download, without the query, whose signature and expiry differ each time. */
export const downloadIdentity = (address: string): string => {
  const { pathname } = new URL(address);
  const at = pathname.indexOf(CACHE);
  return at < 0 ? pathname : pathname.slice(at);
};

const prefixOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, '');

function withoutPrefix(pathname: string, server: URL): string {
  const prefix = prefixOf(server);
  return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
}

function onto(base: URL, { search }: URL, pathname: string): string {
  return `${base.origin}${prefixOf(base)}${pathname}${search}`;
}
