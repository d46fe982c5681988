import type { PageElement } from '../../../shared/pages/browser.ts';
import type { PageReading, PageTools } from '../../../shared/pages/open-page.ts';
import { type Drawing, drawCase } from './drawing/drawing.ts';
import type { CaseModel, CaseProgress, ItemProgress, ModelItem } from './model.ts';
import { explained, itemFacts } from './panels/explanation.ts';
import { caseFacts } from './panels/facts.ts';
import { Timeline } from './panels/timeline.ts';

/** How the page reaches its case. */
interface CasePageSettings {
  /** End of the page's path, after that of the case. */
  readonly suffix: string;
}

const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
const ENDED: readonly string[] = ['completed', 'terminated'];
const ZOOMS = [0.25, 0.5, 0.75, 1, 1.5, 2];
const READABLE = 0.5;

const REFUSALS: Readonly<Record<number, string>> = {
  401: 'The token is not valid, or no longer. Open the link to this page again.',
  403: 'The token does not allow to see this case.',
  404: 'There is no such case.',
};

/** Shows a case: its diagram, coloured by what has become of it, a timeline, and why what is chosen waits. */
export function show(page: PageTools, { suffix }: CasePageSettings): void {
  if (!page.hasToken) {
    page.show(notice(page, 'This page needs a link that ends with #token= and a token.'));
    return;
  }
  page.show(page.element('p', 'Loading ...', { role: 'status' }));
  void open(page, page.path.slice(0, -suffix.length), PAUSE_MS);
}

const notice = (page: PageTools, text: string): PageElement =>
  page.element('p', text, { class: 'error', role: 'alert' });

/** Reads the model, again and again until the platform answers. */
async function open(page: PageTools, path: string, pauseMs: number): Promise<void> {
  const reading = await page.read(`${path}/model`);
  if (reading.status === 200) {
    const view = new CaseView(page, path, reading.body as CaseModel);
    await view.follow();
    return;
  }
  const refusal = REFUSALS[reading.status];
  page.show(notice(page, refusal ?? 'The platform does not answer; trying again.'));
  if (refusal !== undefined) return;
  const longer = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  page.after(Math.max(longer, reading.retryAfterMs), () => void open(page, path, longer));
}

/** The largest zoom that shows the whole width, as long as its texts can be read. */
function zoomFor(width: number, room: number): number {
  const [most, least] = [ZOOMS.indexOf(1), ZOOMS.indexOf(READABLE)];
  const fits = ZOOMS.findLastIndex((zoom) => zoom <= 1 && width * zoom <= room);
  return room === 0 ? most : Math.max(fits, least);
}

class CaseView {
  readonly #page: PageTools;
  readonly #path: string;
  readonly #drawing: Drawing;
  readonly #timeline: Timeline;
  readonly #head: PageElement;
  readonly #facts: PageElement;
  readonly #trouble: PageElement;
  readonly #panel: PageElement;
  #progress: ReadonlyMap<string, ItemProgress> = new Map();
  #chosen: ModelItem | undefined;
  #etag: string | undefined;
  #zoom = ZOOMS.indexOf(1);

  constructor(page: PageTools, path: string, model: CaseModel) {
    const { element } = page;
    this.#page = page;
    this.#path = path;
    this.#drawing = drawCase(model, page, (item) => void this.#choose(item));
    this.#timeline = new Timeline(page, `${path}/history`);
    this.#head = element('p', '', { class: 'state', role: 'status' });
    this.#facts = element('div');
    this.#trouble = element('p', '', { role: 'status' });
    this.#panel = element('section', '', { class: 'panel', 'aria-label': 'Explanation' });
    this.#panel.append(element('p', 'Choose something in the diagram to see why it waits.'));
    const diagram = element('div', '', { class: 'diagram' });
    diagram.append(this.#drawing.element);
    const columns = element('div', '', { class: 'columns' });
    columns.append(this.#panel, this.#timeline.element);
    page.show(this.#head, this.#trouble, this.#facts, this.#tools(), diagram, columns);
    this.#zoom = zoomFor(this.#drawing.width, diagram.clientWidth);
    this.#scale();
  }

  /** Shows what is new, and looks again as long as the case goes on. */
  async follow(pauseMs = PAUSE_MS): Promise<void> {
    const reading = await this.#page.read(`${this.#path}/progress`, this.#etag);
    const { status, body, etag } = reading;
    const refusal = REFUSALS[status];
    if (refusal !== undefined) {
      this.#page.show(notice(this.#page, refusal));
      return;
    }
    if (status === 200) {
      this.#etag = etag;
      await this.#update(body as CaseProgress);
    }
    const isAnswered = status === 200 || status === 304;
    this.#trouble.textContent = isAnswered ? '' : 'The platform does not answer; trying again.';
    if (status === 200 && ENDED.includes((body as CaseProgress).state)) return;
    const next = isAnswered ? PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    this.#page.after(Math.max(next, reading.retryAfterMs), () => void this.follow(next));
  }

  async #update(progress: CaseProgress): Promise<void> {
    const { name, caseInstanceId, state, truncated } = progress;
    this.#progress = new Map(progress.planItems.map((item) => [item.planItemId, item]));
    this.#head.replaceChildren(
      this.#page.element('span', name ?? caseInstanceId),
      ' ',
      this.#page.element('span', state, { class: `badge s-${state}` }),
    );
    this.#facts.replaceChildren(caseFacts(progress, this.#page.element));
    if (truncated) {
      const text = 'So much has ended that not all of it is counted.';
      this.#facts.append(this.#page.element('p', text, { class: 'note' }));
    }
    this.#drawing.update(this.#progress);
    const again = this.#chosen ? this.#choose(this.#chosen) : undefined;
    await Promise.all([this.#timeline.refresh(), again]);
  }

  async #choose(item: ModelItem): Promise<void> {
    this.#chosen = item;
    const { element } = this.#page;
    const progress = this.#progress.get(item.id);
    const facts = itemFacts(item, progress, element);
    const open = progress && !progress.latest.endedAt ? progress.latest.id : undefined;
    if (open === undefined) {
      this.#panel.replaceChildren(...facts);
      return;
    }
    const address = `${this.#path}/explain?planItemInstanceId=${encodeURIComponent(open)}`;
    const reading: PageReading = await this.#page.read(address);
    // Somebody may have chosen another one meanwhile.
    if (this.#chosen === item) {
      this.#panel.replaceChildren(...facts, ...explained(reading, element));
    }
  }

  #tools(): PageElement {
    const tools = this.#page.element('div', '', {
      class: 'tools',
      role: 'toolbar',
      'aria-label': 'Size of the diagram',
    });
    const button = (text: string, label: string, press: () => void): PageElement => {
      const made = this.#page.element('button', text, { type: 'button', 'aria-label': label });
      made.addEventListener('click', press);
      return made;
    };
    const step = (by: number) => () => {
      this.#zoom = Math.max(0, Math.min(this.#zoom + by, ZOOMS.length - 1));
      this.#scale();
    };
    tools.append(
      button('\u2212', 'Smaller', step(-1)),
      button('+', 'Larger', step(1)),
      button('Fit', 'Fit into the page', () => this.#fit()),
    );
    return tools;
  }

  #scale(): void {
    const factor = ZOOMS[this.#zoom] ?? 1;
    const { element, width, height } = this.#drawing;
    element.setAttribute('width', String(width * factor));
    element.setAttribute('height', String(height * factor));
  }

  #fit(): void {
    this.#drawing.element.setAttribute('width', '100%');
    this.#drawing.element.removeAttribute('height');
  }
}
