import { createHash } from 'node:crypto';
import type { Reply } from '../http/reply.ts';
import { openPage, type ShowPage } from './open-page.ts';

/** A page without data: it loads everything with the caller's token. */
export interface PageShell<S> {
  readonly title: string;
  readonly show: ShowPage<S>;
  /** Passed to `show`; the same for every caller, so never secret. */
  readonly settings: S;
}

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
export function pageReply<S>({ title, show, settings }: PageShell<S>): Reply {
  // A "<" could end the script.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  const script = `(${openPage})(window, ${show}, ${json});`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
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
      'content-security-policy': policyOf(script),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    },
  };
}

const policyOf = (script: string): string =>
  [
    "default-src 'none'",
    `script-src '${checksum(script)}'`,
    `style-src '${checksum(STYLE)}'`,
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
