import { describe, expect, it } from 'vitest';
import { pageReply } from '../../../../shared/pages/page-shell.ts';
import { openInBrowser, scriptOf, sha256, styleOf } from './a-browser.ts';

const ADDRESS = 'https://api.example.com/runs/7/view?tab=a';

const aPage = (settings: unknown = {}, title = 'Run') =>
  pageReply({
    title,
    settings,
    show: (page, given) => {
      page.show(page.element('pre', JSON.stringify([page.path, page.hasToken, given])));
      void page.read(page.path);
    },
  });

const htmlOf = (reply = aPage()): string => String(reply.body);

describe('a page', () => {
  it('may run its own script and style only, and call its own origin only', () => {
    const { body, headers = {} } = aPage();
    const html = String(body);

    expect(headers['content-security-policy']?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${sha256(scriptOf(html))}`,
      `style-src ${sha256(styleOf(html))}`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(html).not.toMatch(/\son\w+=|\sstyle=|javascript:|<link|src=/);
  });

  it('is the same for everybody', () => {
    expect(aPage()).toEqual(aPage());
  });

  it('cannot be broken by its title or settings', () => {
    const html = htmlOf(aPage({ text: '</script><script>alert(1)//' }, '</title><b>&"'));
    const { text } = openInBrowser(html, ADDRESS);

    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).toContain('<title>&#60;/title&#62;&#60;b&#62;&#38;&#34;</title>');
    expect(JSON.parse(text())).toMatchObject([
      '/runs/7/view',
      false,
      { text: '</script><script>alert(1)//' },
    ]);
  });

  it('takes the token out of its address before it calls anybody', async () => {
    const { calls, window, settle } = openInBrowser(htmlOf(), `${ADDRESS}#token=a.b.c`, {});
    await settle();

    expect(calls).toEqual([
      {
        address: 'https://api.example.com/runs/7/view',
        authorization: 'Bearer a.b.c',
        pageAddress: ADDRESS,
      },
    ]);
    expect(window.location.href).toBe(ADDRESS);
    expect(window.history.length).toBe(1);
    expect(window.document.documentElement.outerHTML).not.toContain('a.b.c');
    expect(window.localStorage.length + window.sessionStorage.length).toBe(0);
    expect(window.document.cookie).toBe('');
  });

  it.each(['', '#', '#token=', '#other=x', '#a.b.c'])(
    'calls without a token when the fragment is "%s"',
    async (fragment) => {
      const { calls, window, text, settle } = openInBrowser(htmlOf(), ADDRESS + fragment, {});
      await settle();

      expect(calls).toMatchObject([{ authorization: undefined }]);
      expect(JSON.parse(text())).toMatchObject([expect.anything(), false, {}]);
      expect(window.location.hash).toBe('');
    },
  );

  it.each([
    ['7', 7_000],
    ['99999999999', 3_600_000],
    ['Infinity', 3_600_000],
    ['-5', 0],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 0],
  ])('waits for Retry-After: %s no longer than a timer can', async (value, ms) => {
    const reply = pageReply({
      title: 'Run',
      settings: {},
      show: (page) => {
        void page.read('/runs/7').then(({ retryAfterMs }) => page.after(retryAfterMs, () => {}));
      },
    });
    const busy = { status: 429, headers: { 'retry-after': value } };

    const { timers, settle } = openInBrowser(htmlOf(reply), ADDRESS, busy);
    await settle();

    expect(timers.map((timer) => timer.ms)).toEqual([ms]);
  });

  it('calls no other host, whatever its path', async () => {
    const { calls, settle } = openInBrowser(
      htmlOf(),
      'https://api.example.com//evil.example/x#token=t',
      {},
    );
    await settle();

    expect(new URL(calls[0]?.address ?? '').origin).toBe('https://api.example.com');
  });
});
