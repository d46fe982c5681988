import { ANCHORS } from './elements.ts';
import type { OpenElement, Run, Span } from './part-model.ts';

/** The runs of a part, and what has no width beside them, as their elements come by. */
export class RunTracker {
  readonly anchors: Span[] = [];
  readonly #open: Run[] = [];
  #commented: Run | undefined;

  get innermost(): Run | undefined {
    return this.#open.at(-1);
  }

  /** The run of which an element is a child. */
  ofChild({ parent }: OpenElement): Run | undefined {
    const run = this.#open.at(-1);
    return run && parent?.start === run.start ? run : undefined;
  }

  opened(element: OpenElement): void {
    const { name, start, contentStart, parent } = element;
    const around = this.ofChild(element);
    if (around && name !== 'w:rPr') around.firstChild = Math.min(around.firstChild, start);
    if (name === 'w:commentReference') this.#commented = around;
    if (name !== 'w:r') return;
    this.#open.push({
      start,
      contentStart,
      parent: parent ?? element,
      end: contentStart,
      properties: undefined,
      firstChild: Number.POSITIVE_INFINITY,
      lastChild: contentStart,
    });
  }

  closed(element: OpenElement, end: number): void {
    const { name, start } = element;
    if (name === 'w:r') this.#closeRun(end);
    const around = this.ofChild(element);
    if (around && name === 'w:rPr') around.properties = { start, end };
    else if (around) around.lastChild = end;
    if (ANCHORS.has(name)) this.anchors.push({ start, end });
  }

  /** The mark of a comment is kept as its range is. */
  #closeRun(end: number): void {
    const run = this.#open.pop();
    if (!run) return;
    run.end = end;
    if (run === this.#commented) this.anchors.push({ start: run.start, end });
  }
}
