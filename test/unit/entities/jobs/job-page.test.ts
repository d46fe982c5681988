import { describe, expect, it } from 'vitest';
import { openInBrowser, scriptOf, sha256 } from '../../shared/pages/a-browser.ts';
import { anEntitiesApi, RECORDS } from '../entities-api.ts';

const ID = '01981f2e-7c1a-7a52-9d0b-3f6f1f0a2c11';
const PATH = `${RECORDS}/customers/jobs/${ID}/progress`;
const ADDRESS = `https://api.example.com${PATH}`;
const JOB = {
  id: ID,
  kind: 'EXPORT',
  state: 'RUNNING',
  processed: 40,
  total: 100,
  result: {},
  createdAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:30:05.000Z',
};

const answerOf = (path = PATH) => anEntitiesApi().call({ method: 'GET', path, caller: null });

async function open(fragment: string, ...answers: Parameters<typeof openInBrowser>[2][]) {
  const { text } = await answerOf();
  const page = openInBrowser(text, ADDRESS + fragment, ...answers);
  await page.settle();
  const { document } = page.window;
  const attribute = (selector: string, name: string) =>
    document.querySelector(selector)?.getAttribute(name) ?? undefined;
  return { ...page, attribute };
}

describe('GET {base}/jobs/{jobId}/progress', () => {
  it.each([
    PATH,
    `${RECORDS}/unknown/jobs/${ID}/progress`,
    `/api/v1/customers/jobs/${ID}/progress`,
  ])('answers the same page to anybody, whether there is a job or not: %s', async (path) => {
    const [answer, other] = [await answerOf(path), await answerOf()];

    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    });
    expect(answer.text).toBe(other.text);
    expect(answer.headers['content-security-policy']).toContain(sha256(scriptOf(answer.text)));
  });

  it('never reads a token: a broken one changes nothing', async () => {
    const answer = await anEntitiesApi().call({ method: 'GET', path: PATH, token: 'broken' });

    expect(answer.status).toBe(200);
  });
});

describe('the page of a job', () => {
  it('follows the job until it ends, then offers the file', async () => {
    const done = { ...JOB, state: 'DONE', processed: 100, link: 'https://files.example/x?sig=1' };
    const page = await open(
      '#token=t',
      { body: JOB },
      { body: { ...done, result: { rows: 100, skipped: { a: 1 } } } },
    );
    const first = page.text();
    const bar = [page.attribute('progress', 'value'), page.attribute('progress', 'max')];
    const pauses = page.timers.map(({ ms }) => ms);
    await page.pass();

    expect(first).toContain('RUNNING');
    expect(bar).toEqual(['40', '100']);
    expect(pauses).toEqual([2_000]);
    expect(page.calls.map(({ address }) => address)).toEqual([
      `https://api.example.com${RECORDS}/customers/jobs/${ID}`,
      `https://api.example.com${RECORDS}/customers/jobs/${ID}`,
    ]);
    expect(page.text()).toMatch(/DONE.*EXPORT.*rows100/s);
    expect(page.attribute('a', 'href')).toBe('https://files.example/x?sig=1');
    expect(page.attribute('a', 'rel')).toBe('noopener noreferrer');
    expect(page.timers).toEqual([]);
  });

  it('shows that nobody knows how much there is to do', async () => {
    const page = await open('#token=t', { body: { ...JOB, total: null } });

    expect(page.attribute('progress', 'value')).toBeUndefined();
    expect(page.text()).not.toContain('null');
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', 7])(
    'offers no link to %s',
    async (link) => {
      const page = await open('#token=t', { body: { ...JOB, state: 'DONE', link } });

      expect(page.attribute('a', 'href')).toBeUndefined();
    },
  );

  it('shows texts as texts', async () => {
    const html = '<img src=x onerror=alert(1)>';
    const page = await open('#token=t', { body: { ...JOB, kind: html, result: { [html]: html } } });

    expect(page.window.document.querySelector('img')).toBeNull();
    expect(page.text()).toContain(html);
  });

  it.each([
    [401, 'not valid'],
    [403, 'does not allow'],
    [404, 'no such import or export'],
  ])('ends with an explanation after %i', async (status, words) => {
    const page = await open('#token=t', { status, body: { code: 'X' } });

    expect(page.text()).toContain(words);
    expect(page.timers).toEqual([]);
  });

  it('tries again, less and less often, while the platform does not answer', async () => {
    const page = await open(
      '#token=t',
      { status: 503, headers: { 'retry-after': '7' } },
      { status: 500 },
    );
    const pauses = [page.timers[0]?.ms];
    for (let i = 0; i < 5; i += 1) {
      await page.pass();
      pauses.push(page.timers[0]?.ms);
    }

    expect(pauses).toEqual([7_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(page.text()).toContain('does not answer');
  });

  it('asks for a link with a token, and calls nobody, when there is none', async () => {
    const page = await open('');

    expect(page.text()).toContain('#token=');
    expect(page.calls).toEqual([]);
  });
});
