import type { PageElement } from './browser.ts';
import type { PageTools } from './open-page.ts';

/** Mapping from a resource to its progress page. */
export interface ProgressSettings {
  /** End of the page's path; without it the path is that of the resource. */
  readonly suffix: string;
  /** Member with the state, and the states after which nothing changes any more. */
  readonly state: string;
  readonly endStates: readonly string[];
  /** Members with the processed and total counts (`null`: unknown). */
  readonly done: string;
  readonly total: string;
  /** Members to show: label and name. */
  readonly facts: readonly (readonly [label: string, member: string])[];
  /** Member with an object whose texts and numbers are shown too. */
  readonly result: string;
  /** Member with an address to offer, and what the link says. */
  readonly link: readonly [member: string, text: string];
  /** Shown when the resource does not exist. */
  readonly missing: string;
}

/**
 * Shows the progress of a resource until it ends.
 *
 * The function is sent to the browser as source text: it may use nothing but its parameters.
 */
export function showProgress(page: PageTools, settings: ProgressSettings): void {
  const PAUSE_MS = 2_000;
  const LONGEST_PAUSE_MS = 30_000;
  const resource = page.path.slice(0, -settings.suffix.length);
  type Members = Readonly<Record<string, unknown>>;

  const isShown = (value: unknown): value is string | number | boolean =>
    ['string', 'number', 'boolean'].includes(typeof value);

  const row = (label: string, value: string): PageElement[] => [
    page.element('dt', label),
    page.element('dd', value),
  ];

  const say = (text: string, kind = 'note'): PageElement =>
    page.element('p', text, { class: kind, role: kind === 'error' ? 'alert' : 'status' });

  const bar = (members: Members): PageElement => {
    const done = Number(members[settings.done] ?? 0);
    const total = Number(members[settings.total] ?? 0);
    const isEnded = settings.endStates.includes(String(members[settings.state]));
    const max = total > 0 ? total : 1;
    const value = total > 0 ? Math.min(done, total) : 1;
    // Without a value the progress bar is indeterminate.
    const isKnown = total > 0 || isEnded;
    const place = isKnown ? { value: String(value), max: String(max) } : undefined;
    return page.element('progress', '', { 'aria-label': 'Progress', ...place });
  };

  const facts = (members: Members): PageElement => {
    const list = page.element('dl');
    const result = members[settings.result];
    const outcome = typeof result === 'object' && result !== null ? Object.entries(result) : [];
    const named = settings.facts.map(([label, member]) => [label, members[member]] as const);
    for (const [label, value] of [...named, ...outcome]) {
      if (isShown(value)) list.append(...row(label, String(value)));
    }
    return list;
  };

  const links = (members: Members): PageElement[] => {
    const [member, text] = settings.link;
    const address = String(members[member] ?? '');
    // Other URL schemes could run a script.
    if (!/^https?:\/\//.test(address)) return [];
    const rel = 'noopener noreferrer';
    return [page.element('a', text, { href: address, rel, class: 'link' })];
  };

  const REFUSALS: Readonly<Record<number, string>> = {
    401: 'The token is not valid, or no longer. Open the link to this page again.',
    403: 'The token does not allow to see this.',
    404: settings.missing,
  };

  const refresh = async (pauseMs: number): Promise<void> => {
    const { status, body, retryAfterMs } = await page.read(resource);
    const refusal = REFUSALS[status];
    if (refusal !== undefined) {
      page.show(say(refusal, 'error'));
      return;
    }
    if (status !== 200 || typeof body !== 'object' || body === null) {
      page.show(say('The platform does not answer; trying again.', 'error'));
      const longer = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      page.after(Math.max(longer, retryAfterMs), () => void refresh(longer));
      return;
    }
    const members = body as Members;
    const state = String(members[settings.state]);
    const heading = page.element('p', state, { class: 'state', role: 'status' });
    heading.setAttribute('data-state', state);
    page.show(heading, bar(members), facts(members), ...links(members));
    if (settings.endStates.includes(state)) return;
    page.after(PAUSE_MS, () => void refresh(PAUSE_MS));
  };

  if (!page.hasToken) {
    page.show(say('This page needs a link that ends with #token= and a token.', 'error'));
    return;
  }
  page.show(say('Loading ...'));
  void refresh(PAUSE_MS);
}
