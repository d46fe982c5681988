import { type Css, styleAttribute } from './css.ts';
import { chosen } from './drawings.ts';
import { FieldState } from './fields.ts';
import { InlineWriter } from './inline.ts';
import { escapeHtml, type HtmlContext, type PartLinks } from './part-context.ts';
import { writeTable } from './tables.ts';
import { child, elementsOf, type XmlNode } from './xml-tree.ts';

/** Elements between blocks whose content is that of the part. */
const TRANSPARENT = new Set(['w:ins', 'w:moveTo', 'w:customXml', 'w:smartTag']);

/** Writes paragraphs and tables of a part. */
export class BlockWriter {
  readonly #context: HtmlContext;
  readonly #inline: InlineWriter;

  constructor(context: HtmlContext, links: PartLinks) {
    this.#context = context;
    this.#inline = new InlineWriter(context, links, new FieldState());
  }

  /** Writes the content of an element, block after block. */
  content(node: XmlNode): string {
    return this.blocks(elementsOf(node));
  }

  blocks(nodes: readonly XmlNode[]): string {
    return nodes.map((each) => this.#block(each)).join('\n');
  }

  #block(node: XmlNode): string {
    if (TRANSPARENT.has(node.name)) return this.content(node);
    switch (node.name) {
      case 'w:p':
        return this.#paragraph(node);
      case 'w:tbl':
        return writeTable(node, this.#context, (cell) => this.content(cell));
      case 'w:sdt':
        return this.content(child(node, 'w:sdtContent') ?? node);
      case 'mc:AlternateContent':
        return this.content(chosen(node));
      default:
        return '';
    }
  }

  #paragraph(node: XmlNode): string {
    const { styles, numbering } = this.#context;
    const properties = child(node, 'w:pPr');
    const label = numbering.next(styles.numbering(properties));
    const css: Css = new Map([...(label?.css ?? []), ...styles.paragraph(properties)]);
    for (const [name, value] of label?.css ?? [])
      if (!child(properties, 'w:ind')) css.set(name, value);
    const { html, boxes } = this.#inline.write(node);
    const level = styles.headingLevel(properties);
    const element = level === undefined ? 'p' : `h${level}`;
    const marker =
      label && label.text !== '' ? `<span class="label">${escapeHtml(label.text)} </span>` : '';
    // A paragraph without text is a line high.
    const text = `${marker}${html}` || '<br>';
    const aside = boxes.map((box) => `<aside class="box">${this.content(box)}</aside>`);
    return `<${element}${styleAttribute(css)}>${text}</${element}>${aside.join('')}`;
  }
}
