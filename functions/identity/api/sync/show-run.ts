import type { PageElement } from '../../../../shared/pages/browser.ts';
import type { PageTools } from '../../../../shared/pages/open-page.ts';

/** How the page reaches its run. */
export interface RunPageSettings {
  /** End of the page's path, after that of the run. */
  readonly suffix: string;
  /** Where records are read. */
  readonly records: string;
}

/**
 * Shows a run: how far it is, what it did or would do, and with which objects.
 *
 * The function is sent to the browser as source text: it may use nothing but its parameters.
 */
export function showRun(page: PageTools, settings: RunPageSettings): void {
  const PAUSE_MS = 1_000;
  const LONGEST_PAUSE_MS = 30_000;
  const { element } = page;
  const path = page.path.slice(0, -settings.suffix.length);
  type Members = Readonly<Record<string, unknown>>;

  const REFUSALS: Readonly<Record<number, string>> = {
    401: 'The token is not valid, or no longer. Open the link to this page again.',
    403: 'The token does not allow to see this run.',
    404: 'There is no such run.',
  };
  const PHASES: Readonly<Record<string, string>> = {
    READING: 'The source is being read and compared.',
    APPLYING: 'The plan is being applied.',
    WAITING: 'Nothing was changed: the plan waits for somebody to approve it.',
    ENDED: 'The run has ended.',
  };
  const COUNTS: readonly (readonly [label: string, member: string])[] = [
    ['Created', 'createdCount'],
    ['Updated', 'updatedCount'],
    ['Disabled', 'disabledCount'],
    ['Deleted', 'deletedCount'],
    ['Skipped', 'skippedCount'],
    ['Failed', 'failedCount'],
    ['Unchanged', 'unchangedCount'],
  ];
  const PLANNED: readonly (readonly [label: string, member: string])[] = [
    ['Create', 'created'],
    ['Update', 'updated'],
    ['Disable', 'disabled'],
    ['Gone at the source', 'missing'],
    ['Remove', 'removed'],
    ['Unchanged', 'unchanged'],
  ];

  const say = (text: string, kind: string): PageElement =>
    element('p', text, { class: kind, role: kind === 'error' ? 'alert' : 'status' });

  const tableOf = (
    caption: string,
    head: readonly string[],
    rows: readonly (readonly string[])[],
  ): PageElement => {
    const table = element('table');
    table.append(element('caption', caption));
    const line = (texts: readonly string[], tag: string): PageElement => {
      const made = element('tr');
      made.append(...texts.map((text) => element(tag, text, tag === 'th' ? { scope: 'col' } : {})));
      return made;
    };
    table.append(line(head, 'th'), ...rows.map((texts) => line(texts, 'td')));
    const box = element('div', '', { class: 'table' });
    box.append(table);
    return box;
  };

  const bar = (phase: string): PageElement =>
    element('progress', '', {
      'aria-label': 'Progress',
      ...(phase === 'ENDED' || phase === 'WAITING' ? { value: '1', max: '1' } : {}),
    });

  const namesOf = (changes: unknown): string =>
    (changes as readonly Members[])
      .map(({ field, from, to }) => `${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`)
      .join('\n');

  const resultOf = ({ status, reasonCode }: Members): string => {
    // Nothing was done with it yet, which records call skipped.
    if (reasonCode === 'PLANNED') return 'planned';
    return reasonCode === null ? String(status) : `${status}: ${reasonCode}`;
  };

  const records = async (histories: readonly Members[]): Promise<PageElement[]> => {
    const shown: string[][] = [];
    for (const { id } of histories) {
      const query = new URLSearchParams({ syncHistoryId: String(id), size: '50' });
      const { status, body } = await page.read(`${settings.records}?${query}`);
      if (status !== 200) continue;
      for (const each of (body as { readonly content: readonly Members[] }).content) {
        shown.push([
          `${each.actionType} ${each.objectType}`,
          String(each.objectName),
          resultOf(each),
          namesOf(each.changes),
        ]);
      }
    }
    const head = ['Change', 'Name', 'Result', 'Values'];
    return shown.length > 0 ? [tableOf('Changes (at most 50 of each kind)', head, shown)] : [];
  };

  const counts = (run: Members, histories: readonly Members[]): PageElement => {
    const kinds = histories.map(({ objectType }) =>
      objectType === 'USER' ? 'Users' : 'Departments',
    );
    const { planned, phase } = run;
    const isPlan = planned !== null && phase !== 'ENDED';
    const rows = (isPlan ? PLANNED : COUNTS).map(([label, member]) => [
      label,
      ...histories.map(({ objectType, ...history }) => {
        const of = objectType === 'USER' ? 'users' : 'organization';
        const from = isPlan ? (planned as Readonly<Record<string, Members>>)[of] : history;
        return String(from?.[member] ?? '');
      }),
    ]);
    return tableOf(isPlan ? 'Planned changes' : 'What was done', ['', ...kinds], rows);
  };

  const refresh = async (pauseMs: number): Promise<void> => {
    const { status, body, retryAfterMs } = await page.read(path);
    const refusal = REFUSALS[status];
    if (refusal !== undefined) {
      page.show(say(refusal, 'error'));
      return;
    }
    if (status !== 200) {
      page.show(say('The platform does not answer; trying again.', 'error'));
      const longer = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      page.after(Math.max(longer, retryAfterMs), () => void refresh(longer));
      return;
    }
    const run = body as Members;
    const histories = run.histories as readonly Members[];
    const phase = String(run.phase);
    const state = say(String(run.status), 'state');
    state.setAttribute('data-state', String(run.status));
    const why = [run.reasonCode, run.desc].filter((text) => typeof text === 'string').join(': ');
    const table = await records(histories);
    const isOfSome = histories.some(({ compared }) => compared === 'SOME');
    page.show(
      ...[state, bar(phase), element('p', PHASES[phase] ?? '')],
      ...(isOfSome ? [element('p', 'Some users only: nobody else is compared.')] : []),
      ...(why === '' ? [] : [element('p', why, { class: 'error' })]),
      ...[counts(run, histories), ...table],
    );
    if (phase === 'READING' || phase === 'APPLYING') {
      page.after(PAUSE_MS, () => void refresh(PAUSE_MS));
    }
  };

  if (!page.hasToken) {
    page.show(say('This page needs a link that ends with #token= and a token.', 'error'));
    return;
  }
  page.show(say('Loading ...', 'note'));
  void refresh(PAUSE_MS);
}
