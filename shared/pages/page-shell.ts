import { createHash } from 'node:crypto';
import type { Reply } from '../http/reply.ts';
import { openPage, type ShowPage } from './open-page.ts';

/** A page without data: it loads everything with the caller's token. */
export interface PageShell<S> {
  readonly title: string;
  /** The code of the page; or the text of a script that `PageScript` has made, whose `show` it is. */
  readonly show: ShowPage<S> | { readonly script: string };
  /** Rules besides those of every page. */
  readonly style?: string;
  /** Passed to `show`; the same for every caller, so never secret. */
  readonly settings: S;
}

/** Name of what the script of a page exports. */
export const SCRIPT_NAME = 'svcPage';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; place-items: start center; padding: 2rem 1rem; }
main { width: min(40rem, 100%); }
h1 { width: min(40rem, 100%); font-size: 1.25rem; font-weight: 600; margin: 0 0 1rem; }
.state { font-size: 1.75rem; font-weight: 600; margin: 0 0 .5rem; }
.error { border-left: 4px solid #c62828; padding: .5rem 1rem; margin: 0; }
progress { width: 100%; height: .75rem; accent-color: #1565c0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: 1.5rem 0; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
.link { display: inline-block; padding: .5rem 1rem; border: 1px solid currentColor; border-radius: .25rem; }
`;

/**
 * The answer of a page: public, the same for everybody. Its policy lets run the page's own script and style, by their
 * checksums, and calls of its own origin; no referrer is sent.
 * @see Content Security Policy Level 3
 */
export function pageReply<S>({ title, show, settings, style = '' }: PageShell<S>): Reply {
  // A "<" could end the script.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  const [before, code] =
    typeof show === 'function' ? ['', show] : [show.script, `${SCRIPT_NAME}.show`];
  const script = `${before}(${openPage})(window, ${code}, ${json});`;
  const css = STYLE + style;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeText(title)}</title>
<style>${css}</style>
</head>
<body>
<h1>${escapeText(title)}</h1>
<main aria-live="polite"><noscript>This page needs JavaScript.</noscript></main>
<script type="module">${script}</script>
</body>
</html>
`;
  return {
    status: 200,
    body: html,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(script, css),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    },
  };
}

const policyOf = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src '${checksum(script)}'`,
    `style-src '${checksum(style)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

const checksum = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;

const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Headers of a page, for the API description. */
export const pageHeaders = {
  'content-security-policy': 'Lets run the scripts and styles of the page alone.',
} as const;
