import type { PageElement } from '../../../../shared/pages/browser.ts';
import type { PageReading, PageTools } from '../../../../shared/pages/open-page.ts';
import type { ItemProgress, ModelItem } from '../model.ts';
import { stateOf, typeInWords } from '../states.ts';
import { factList, timeAt } from './facts.ts';

/** Why an instance waits, in the form of the API. */
interface Explanation {
  readonly entryCriteria: readonly ExplainedCriterion[];
  readonly exitCriteria: readonly ExplainedCriterion[];
  readonly completion?: {
    readonly isCompletable: boolean;
    readonly isAutoComplete: boolean;
    readonly openChildren: readonly { readonly name: string; readonly state: string }[];
  };
}

interface ExplainedCriterion {
  readonly onParts: readonly {
    readonly source: string;
    readonly sourceName?: string;
    readonly standardEvent: string;
    readonly isSeen: boolean;
  }[];
  readonly ifPart?: { readonly condition: string; readonly isSatisfied: boolean };
}

/** Most children that are named. */
const MOST_NAMED = 20;

/** Facts and state of a plan item. */
export function itemFacts(
  item: ModelItem,
  progress: ItemProgress | undefined,
  element: PageTools['element'],
): PageElement[] {
  const latest = progress?.latest;
  const at = (instant: string | undefined) => instant && timeAt(instant, element);
  const states = Object.entries(progress?.states ?? {});
  const counts = states.map(([state, count]) => `${count} ${state}`).join(', ');
  const heading = element('h2', latest?.name || item.name || item.id);
  const state = element('p', stateOf(progress).name, {
    class: `badge ${stateOf(progress).className}`,
  });
  return [
    heading,
    state,
    factList(
      [
        ['Kind', typeInWords(item.type)],
        ['Instances', counts.includes(',') || /^[^1]/.test(counts) ? counts : undefined],
        ['Created', at(latest?.createdAt)],
        ['Started', at(latest?.startedAt)],
        ['Ended', at(latest?.endedAt)],
        ['Due', at(latest?.dueAt)],
        ['Task', latest?.taskId],
        ['Case', latest?.childCaseInstanceId],
        ['Key', item.definitionKey],
      ],
      element,
    ),
  ];
}

/** Why an instance waits or stays open; the refusal when the platform does not tell. */
export function explained(
  { status, body }: PageReading,
  element: PageTools['element'],
): PageElement[] {
  if (status !== 200) {
    const text = status === 404 ? 'It has ended.' : 'The platform does not explain it now.';
    return [element('p', text, { class: 'note' })];
  }
  const { entryCriteria, exitCriteria, completion } = body as Explanation;
  return [
    ...criteria('Starts when', entryCriteria, element),
    ...criteria('Ends when', exitCriteria, element),
    ...(completion ? completionOf(completion, element) : []),
  ];
}

function criteria(
  label: string,
  list: readonly ExplainedCriterion[],
  element: PageTools['element'],
): PageElement[] {
  if (list.length === 0) return [];
  const items = element('ul');
  for (const { onParts, ifPart } of list) {
    const parts = onParts.map(
      ({ source, sourceName, standardEvent, isSeen }) =>
        `${sourceName ?? source}: ${standardEvent}${isSeen ? ' (seen)' : ''}`,
    );
    const condition =
      ifPart && `${ifPart.condition} (${ifPart.isSatisfied ? 'holds' : 'does not hold'})`;
    items.append(element('li', [...parts, ...(condition ? [condition] : [])].join(' and ')));
  }
  return [element('h3', label), items];
}

function completionOf(
  { isCompletable, isAutoComplete, openChildren }: NonNullable<Explanation['completion']>,
  element: PageTools['element'],
): PageElement[] {
  const may = isCompletable ? 'It can be completed now.' : 'It cannot be completed yet.';
  const how = isAutoComplete ? ' It completes by itself.' : '';
  const items = element('ul');
  for (const { name, state } of openChildren.slice(0, MOST_NAMED)) {
    items.append(element('li', `${name}: ${state}`));
  }
  const more = openChildren.length - MOST_NAMED;
  if (more > 0) items.append(element('li', `and ${more} more`));
  return [
    element('h3', 'Completion'),
    element('p', may + how),
    ...(openChildren.length > 0 ? [element('p', 'Still open:'), items] : []),
  ];
}
