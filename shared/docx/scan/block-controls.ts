import { isFieldTag } from '../markers/names.ts';
import { findTextMarkers } from '../markers/text-markers.ts';
import { Splices } from '../xml/splices.ts';
import { isPlain, propertyOf } from './control-facts.ts';
import type { Control, OpenElement, Paragraph } from './part-model.ts';

/** Content of controls around whole paragraphs or cells. */
export class BlockContents {
  readonly #paragraphs = new Map<OpenElement, Paragraph[]>();
  readonly #tables = new Set<OpenElement>();

  addParagraph(paragraph: Paragraph): void {
    const control = controlAround(paragraph.element);
    if (!control) return;
    const others = this.#paragraphs.get(control) ?? [];
    this.#paragraphs.set(control, [...others, paragraph]);
  }

  addTable(table: OpenElement): void {
    const control = controlAround(table);
    if (control) this.#tables.add(control);
  }

  /** The only paragraph of a control, when there is nothing else in it. */
  only({ element }: Control): Paragraph | undefined {
    const [paragraph, ...others] = this.#paragraphs.get(element) ?? [];
    return others.length > 0 || this.#tables.has(element) ? undefined : paragraph;
  }
}

/** The control (`w:sdt`) that holds a block, or the cell of a block. */
function controlAround({ parent }: OpenElement): OpenElement | undefined {
  const content = parent?.name === 'w:tc' ? parent.parent : parent;
  return content?.name === 'w:sdtContent' ? content.parent : undefined;
}

/**
 * Brings controls of fields, and of plain text that is one marker, into the paragraph around which they stand alone, or
 * around its cell. @returns the same XML when there are none
 */
export function withInlineControls(
  xml: string,
  controls: readonly Control[],
  contents: BlockContents,
  declared: ReadonlySet<string>,
): string {
  const splices = new Splices();
  for (const control of controls) {
    const { element, content, end } = control;
    const paragraph = control.paragraph ? undefined : contents.only(control);
    if (!paragraph || !isOfField(control, paragraph, declared)) continue;
    splices.insert(paragraph.content.start, xml.slice(element.start, content.start));
    splices.insert(paragraph.content.end, xml.slice(content.end, end));
    splices.remove(element.start, content.start);
    splices.remove(content.end, end);
  }
  return splices.isEmpty ? xml : splices.apply(xml);
}

function isOfField(control: Control, { text }: Paragraph, declared: ReadonlySet<string>): boolean {
  if (isFieldTag(propertyOf(control, 'w:tag') ?? '')) return true;
  const [marker] = isPlain(control) ? findTextMarkers(text, declared) : [];
  return marker?.raw === text.trim();
}
