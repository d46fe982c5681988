import type { PageElement } from '../../../../shared/pages/browser.ts';
import type { PageTools } from '../../../../shared/pages/open-page.ts';
import type { CaseProgress } from '../model.ts';

type Element = PageTools['element'];

/** An instant as the reader's clock shows it, with the exact one beside. */
export const timeAt = (instant: string, element: Element): PageElement =>
  element('time', new Date(instant).toLocaleString(), { datetime: instant });

/** A list of facts; those without a value are left out. */
export function factList(
  facts: readonly (readonly [label: string, value: PageElement | string | undefined])[],
  element: Element,
): PageElement {
  const list = element('dl');
  for (const [label, value] of facts) {
    if (value === undefined || value === '') continue;
    const description = element('dd');
    description.append(value);
    list.append(element('dt', label), description);
  }
  return list;
}

/** Facts and progress of a case. */
export function caseFacts(progress: CaseProgress, element: Element): PageElement {
  const { workflowCode, definitionVersion, startedAt, endedAt } = progress;
  return factList(
    [
      ['Workflow', `${workflowCode}, version ${definitionVersion}`],
      ['Business key', progress.businessKey],
      ['Business status', progress.businessStatus],
      ['Started by', progress.startedBy],
      ['Started', timeAt(startedAt, element)],
      ['Ended', endedAt === undefined ? undefined : timeAt(endedAt, element)],
    ],
    element,
  );
}
