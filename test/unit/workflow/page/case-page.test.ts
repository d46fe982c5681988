import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { casePage } from '../../../../functions/workflow/api/view/case-page.ts';
import { packageRoot } from '../../../../lib/bundling/package-files.ts';
import { bundlePage } from '../../../../lib/bundling/page-scripts.ts';
import { openInBrowser, scriptOf, sha256, styleOf } from '../../shared/pages/a-browser.ts';
import { aCaseModel, anItem } from './models.ts';

const PATH = '/api/v1/workflow/cmmn/cases/c1';
const ADDRESS = `https://api.example.com${PATH}/view#token=a.b.c`;
const EVIL = '<img src=x onerror=alert(1)>';
const model = aCaseModel([anItem('a'), anItem('b', { after: ['a'], name: EVIL }), anItem('c')]);
const instance = (id: string, state: string) => ({
  id: `${id}1`,
  name: id,
  state,
  createdAt: '2026-03-01T09:30:00.000Z',
});
const progress = {
  ...{
    caseInstanceId: 'c1',
    workflowCode: 'loan',
    definitionVersion: 1,
    name: EVIL,
    state: 'active',
  },
  startedAt: '2026-03-01T09:30:00.000Z',
  planItems: [
    {
      planItemId: 'a',
      states: { completed: 1 },
      latest: { ...instance('a', 'completed'), endedAt: '2026-03-01T09:31:00.000Z' },
    },
    { planItemId: 'b', states: { active: 1, completed: 2 }, latest: instance('b', 'active') },
  ],
  truncated: false,
};
const history = {
  content: [
    {
      ...{ id: 'h1', at: '2026-03-01T09:30:00.000Z', by: EVIL },
      command: { type: 'completeTask', reason: 'The customer called.' },
      changes: [
        { type: 'planItemTransition', name: EVIL, transition: 'complete', to: 'completed' },
        { type: 'variableChanged', name: 'amount', change: 'update' },
      ],
    },
  ],
  nextCursor: null,
};
const explanation = {
  entryCriteria: [],
  exitCriteria: [
    {
      onParts: [{ source: 'a', sourceName: EVIL, standardEvent: 'exit', isSeen: true }],
      ifPart: { condition: EVIL, isSatisfied: true },
    },
  ],
};

let script: string;
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  bundlePage({ name: 'case', file: join(packageRoot, 'functions/workflow/page/case.ts') }, folder);
  script = readFileSync(join(folder, 'case.js'), 'utf8');
});

const answers = [
  { body: model },
  { body: progress, headers: { etag: '"f.1"' } },
  { body: history },
];

async function opened(...given: Parameters<typeof openInBrowser>[2][]) {
  const browser = openInBrowser(String((await casePage(script)).body), ADDRESS, ...given);
  await browser.settle();
  const { document } = browser.window;
  const group = (id: string) => document.querySelector(`[data-item="${id}"]`);
  const press = (id: string, key: string) =>
    group(id)?.dispatchEvent(new browser.window.KeyboardEvent('keydown', { key, bubbles: true }));
  return { ...browser, document, group, press };
}

describe('GET /workflow/cmmn/cases/{id}/view', () => {
  it('may run its own script and style only', async () => {
    const { headers = {}, body } = await casePage(script);
    const html = String(body);

    expect(headers['content-security-policy']).toContain(`script-src ${sha256(scriptOf(html))};`);
    expect(headers['content-security-policy']).toContain(`style-src ${sha256(styleOf(html))};`);
    expect(html.match(/<script/g)).toHaveLength(1);
  });

  it('colours plan items by their states, and says them in words', async () => {
    const { group, document } = await opened(...answers);

    expect(group('a')?.getAttribute('class')).toBe('item s-completed');
    expect(group('b')?.getAttribute('aria-label')).toBe(`${EVIL}, human task, active`);
    expect(group('b')?.textContent).toContain('3\u00d7');
    expect(group('c')?.getAttribute('aria-label')).toBe('c, human task, not reached');
    const timeline = document.querySelector('.timeline')?.textContent;
    expect(timeline).toContain('Complete task');
    expect(timeline).toContain('amount: changed');
    expect(timeline).toContain('The customer called.');
  });

  it('draws the exit criteria of the case on its border, with lines from inside', async () => {
    const exitCriteria = [{ id: 'end', sentryId: 'c' }];
    const { document } = await opened({ body: { ...model, exitCriteria } }, ...answers.slice(1));

    const numbersOf = (selector: string, name: string) =>
      document
        .querySelector(selector)
        ?.getAttribute(name)
        ?.match(/-?[\d.]+/gu)
        ?.map(Number) ?? [];
    const [, top = 0] = numbersOf('polygon.exit', 'points');
    const bottom = Number(document.querySelector('.plan rect')?.getAttribute('height'));
    expect(top).toBe(bottom - 7);
    const line = numbersOf('path.link:last-of-type', 'd');
    expect(line.at(-1)).toBe(bottom);
    expect(line.at(-3)).toBeLessThan(bottom);
  });

  it.each([
    [2_000, 1],
    [330, 0.75],
    [100, 0.5],
  ])('begins with as much of the diagram as can be read in %d px', async (room, factor) => {
    const browser = openInBrowser(String((await casePage(script)).body), ADDRESS, ...answers);
    Object.defineProperty(browser.window.HTMLElement.prototype, 'clientWidth', { get: () => room });
    await browser.settle();

    const svg = browser.window.document.querySelector('svg');
    const [, , whole] = svg?.getAttribute('viewBox')?.split(' ') ?? [];
    expect(Number(svg?.getAttribute('width')) / Number(whole)).toBe(factor);
  });

  it('shows markup in names as text', async () => {
    const { document, press } = await opened(...answers, { body: explanation });
    press('b', 'Enter');
    await new Promise((resolve) => setTimeout(resolve, 5));

    expect(document.querySelectorAll('img, script:not([type])')).toHaveLength(0);
    expect(document.querySelector('.panel')?.textContent).toContain(
      `${EVIL}: exit (seen) and ${EVIL}`,
    );
  });

  it('is used by keys: one stop, arrows between the items, Enter explains', async () => {
    const { calls, document, group, press, settle } = await opened(...answers, {
      body: explanation,
    });

    expect(document.querySelectorAll('svg [tabindex="0"]')).toHaveLength(1);
    press('a', 'ArrowRight');
    expect(group('b')?.getAttribute('tabindex')).toBe('0');
    press('b', 'Enter');
    await settle();

    expect(calls.at(-1)?.address).toBe(
      `https://api.example.com${PATH}/explain?planItemInstanceId=b1`,
    );
    expect(document.querySelector('.panel h2')?.textContent).toBe('b');
  });

  it('follows the case by its entity tag, and stops when it has ended', async () => {
    const ended = { body: { ...progress, state: 'completed' }, headers: { etag: '"f.2"' } };
    const { calls, timers, pass, text } = await opened(...answers, { status: 304 }, ended, {
      body: history,
    });

    await pass();
    expect(calls.at(-1)).toMatchObject({
      address: `https://api.example.com${PATH}/progress`,
      etag: '"f.1"',
    });
    expect(text()).toContain('active');
    await pass();
    expect(text()).toContain('completed');
    expect(timers).toHaveLength(0);
  });

  it.each([
    [401, 'not valid'],
    [403, 'does not allow'],
    [404, 'no such case'],
  ])('says what a %d means, and asks no more', async (status, words) => {
    const { text, timers } = await opened({ status, body: {} });

    expect(text()).toContain(words);
    expect(timers).toHaveLength(0);
  });

  it('tries again when the platform does not answer', async () => {
    const { text, pass } = await opened({ status: 503, body: {} }, ...answers);

    expect(text()).toContain('trying again');
    await pass();
    expect(text()).toContain('active');
  });
});
