import type { PageElement } from '../../../../shared/pages/browser.ts';
import type { PageTools } from '../../../../shared/pages/open-page.ts';
import { typeInWords } from '../states.ts';
import { timeAt } from './facts.ts';

/** A command with its changes, in the form of the API. */
interface HistoryEntry {
  readonly id: string;
  readonly at: string;
  readonly by?: string;
  /** `reason`: what the caller gave for it. */
  readonly command: { readonly type: string; readonly reason?: string };
  readonly changes: readonly HistoryChange[];
}

interface HistoryChange {
  readonly type: string;
  readonly name?: string;
  readonly to?: string;
  readonly transition?: string;
  readonly change?: string;
  readonly state?: string;
}

interface HistoryPage {
  readonly content: readonly HistoryEntry[];
  readonly nextCursor?: string | null;
}

/** Most changes of a command that are shown. */
const MOST_CHANGES = 6;

/** The timeline of a case, newest first; older entries are read on demand. */
export class Timeline {
  readonly element: PageElement;
  readonly #page: PageTools;
  readonly #path: string;
  readonly #list: PageElement;
  readonly #more: PageElement;
  #next: string | undefined;

  /** @param path of the history */
  constructor(page: PageTools, path: string) {
    this.#page = page;
    this.#path = path;
    this.element = page.element('section', '', { class: 'timeline', 'aria-label': 'Timeline' });
    this.#list = page.element('ol');
    this.#more = page.element('button', 'Earlier', { type: 'button', hidden: '' });
    this.#more.addEventListener('click', () => void this.#readEarlier());
    this.element.append(page.element('h2', 'Timeline'), this.#list, this.#more);
  }

  /** Shows the newest entries again. */
  async refresh(): Promise<void> {
    const found = await this.#read('');
    if (!found) return;
    this.#list.replaceChildren(...found.content.map((entry) => this.#entry(entry)));
    this.#offer(found);
  }

  async #readEarlier(): Promise<void> {
    const found = await this.#read(`&cursor=${encodeURIComponent(this.#next ?? '')}`);
    if (!found) return;
    this.#list.append(...found.content.map((entry) => this.#entry(entry)));
    this.#offer(found);
  }

  async #read(query: string): Promise<HistoryPage | undefined> {
    const { status, body } = await this.#page.read(`${this.#path}?size=20${query}`);
    return status === 200 ? (body as HistoryPage) : undefined;
  }

  #offer({ nextCursor }: HistoryPage): void {
    this.#next = nextCursor ?? undefined;
    if (this.#next === undefined) this.#more.setAttribute('hidden', '');
    else this.#more.removeAttribute('hidden');
  }

  #entry({ at, by, command, changes }: HistoryEntry): PageElement {
    const { element } = this.#page;
    const item = element('li');
    const what = element('strong', inWords(command.type));
    item.append(timeAt(at, element), ' ', what, by === undefined ? '' : ` by ${by}`);
    if (command.reason !== undefined) item.append(element('p', command.reason));
    const lines = changes.flatMap((change) => describe(change) ?? []);
    if (lines.length > 0) {
      const list = element('ul');
      for (const text of lines.slice(0, MOST_CHANGES)) list.append(element('li', text));
      const more = lines.length - MOST_CHANGES;
      if (more > 0) list.append(element('li', `and ${more} more`));
      item.append(list);
    }
    return item;
  }
}

const inWords = (type: string): string => {
  const words = typeInWords(type).trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Words for changes of a variable. */
const WORDS: Readonly<Record<string, string>> = {
  create: 'set',
  update: 'changed',
  delete: 'removed',
};

/** A change in a few words; `undefined` when others say it already. */
function describe({
  type,
  name,
  to,
  transition,
  change,
  state,
}: HistoryChange): string | undefined {
  switch (type) {
    case 'planItemTransition':
      return transition === 'create' ? undefined : `${name}: ${to?.replace('_', ' ')}`;
    case 'variableChanged':
      return `${name}: ${WORDS[change ?? ''] ?? change}`;
    case 'caseEnded':
      return `The case: ${state}`;
    case 'caseSuspended':
      return 'The case: suspended';
    case 'caseResumed':
      return 'The case: resumed';
    default:
      return undefined;
  }
}
