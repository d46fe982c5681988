import type { XmlTag } from '../xml/tag.ts';
import type { Control, OpenElement, Paragraph } from './part-model.ts';

/** The content controls of a part, as their elements come by. */
export class ControlTracker {
  readonly all: Control[] = [];
  readonly #open: Control[] = [];

  get innermost(): Control | undefined {
    return this.#open.at(-1);
  }

  opened(element: OpenElement, tag: XmlTag, paragraph: Paragraph | undefined): void {
    const control = this.#open.at(-1);
    if (element.name === 'w:sdt') {
      this.#open.push({
        element,
        outer: control,
        paragraph,
        properties: [],
        end: element.contentStart,
        content: { start: element.contentStart, end: element.contentStart },
        textStart: 0,
        textEnd: 0,
      });
    } else if (control && this.#isProperty(element, control)) {
      const value = tag.attribute('w:val');
      control.properties.push({ name: element.name, value, start: element.start, end: tag.end });
    } else if (control && element.name === 'w:sdtContent' && element.parent === control.element) {
      control.content.start = element.contentStart;
      control.textStart = paragraph?.text.length ?? 0;
    }
  }

  closed(element: OpenElement, start: number, end: number): void {
    const control = this.#open.at(-1);
    if (!control) return;
    if (element === control.element) {
      control.end = end;
      this.#open.pop();
      this.all.push(control);
      control.paragraph?.controls.push(control);
    } else if (this.#isProperty(element, control)) {
      const property = control.properties.pop();
      if (property) control.properties.push({ ...property, end });
    } else if (element.name === 'w:sdtContent' && element.parent === control.element) {
      control.content.end = element.contentStart > start ? element.contentStart : start;
      control.textEnd = control.paragraph?.text.length ?? 0;
    }
  }

  #isProperty({ parent }: OpenElement, control: Control): boolean {
    return parent?.name === 'w:sdtPr' && parent.parent === control.element;
  }
}
