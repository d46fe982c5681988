import { styleAttribute } from './css.ts';
import { chosen, writeDrawing } from './drawings.ts';
import type { FieldState } from './fields.ts';
import { anchorOf, escapeHtml, type HtmlContext, type PartLinks } from './part-context.ts';
import { child, elementsOf, textOf, type XmlNode } from './xml-tree.ts';

/** Elements of a paragraph whose content is that of the paragraph. */
const TRANSPARENT = new Set([
  'w:smartTag',
  'w:ins',
  'w:moveTo',
  'w:customXml',
  'w:fldSimple',
  'w:dir',
  'w:bdo',
]);
const SIGNS: Readonly<Record<string, string>> = {
  'w:tab': '<span class="tab"> </span>',
  'w:ptab': '<span class="tab"> </span>',
  'w:noBreakHyphen': '\u2011',
  'w:softHyphen': '\u00ad',
  'w:cr': '<br>',
};

/** Text of a paragraph as HTML. */
export interface Inline {
  readonly html: string;
  /** Contents of text boxes that are anchored in it. */
  readonly boxes: readonly XmlNode[];
}

/** Writes what is in paragraphs of a part. */
export class InlineWriter {
  readonly #context: HtmlContext;
  readonly #links: PartLinks;
  readonly #fields: FieldState;
  readonly #boxes: XmlNode[] = [];

  constructor(context: HtmlContext, links: PartLinks, fields: FieldState) {
    this.#context = context;
    this.#links = links;
    this.#fields = fields;
  }

  write(paragraph: XmlNode): Inline {
    const html = this.#all(paragraph);
    return { html, boxes: this.#boxes.splice(0) };
  }

  #all(node: XmlNode): string {
    return elementsOf(node)
      .map((each) => this.#one(each))
      .join('');
  }

  #one(node: XmlNode): string {
    if (TRANSPARENT.has(node.name)) return this.#all(node);
    switch (node.name) {
      case 'w:r':
        return this.#run(node);
      case 'w:hyperlink':
        return this.#hyperlink(node);
      case 'w:sdt':
        return this.#all(child(node, 'w:sdtContent') ?? node);
      case 'w:bookmarkStart':
        return `<a id="${escapeHtml(anchorOf(node.attributes.get('w:name') ?? ''))}"></a>`;
      case 'mc:AlternateContent':
        return this.#all(chosen(node));
      case 'm:oMath':
      case 'm:oMathPara':
        this.#context.leavesOut();
        return escapeHtml(textOf(node));
      default:
        return '';
    }
  }

  #hyperlink(node: XmlNode): string {
    const anchor = node.attributes.get('w:anchor');
    const address =
      this.#links.address(node.attributes.get('r:id')) ?? (anchor && `#${anchorOf(anchor)}`);
    const content = this.#all(node);
    if (!address) return content;
    return `<a href="${escapeHtml(address)}" rel="noopener noreferrer">${content}</a>`;
  }

  #run(run: XmlNode): string {
    const content = elementsOf(run)
      .map((each) => this.#inRun(each))
      .join('');
    if (content === '') return '';
    const style = styleAttribute(this.#context.styles.run(child(run, 'w:rPr')));
    return style === '' ? content : `<span${style}>${content}</span>`;
  }

  #inRun(node: XmlNode): string {
    if (node.name === 'w:fldChar') {
      this.#fields.pass(node);
      return '';
    }
    if (this.#fields.isHidden) return '';
    const sign = SIGNS[node.name];
    if (sign !== undefined) return sign;
    switch (node.name) {
      case 'w:t':
        return escapeHtml(textOf(node));
      case 'w:br':
        return node.attributes.get('w:type') === 'page' ? '<span class="page"></span>' : '<br>';
      case 'w:sym':
        return symbolOf(node.attributes.get('w:char'));
      case 'w:footnoteReference':
        return this.#note('footnote', node);
      case 'w:endnoteReference':
        return this.#note('endnote', node);
      case 'w:drawing':
      case 'w:pict':
      case 'w:object':
        return this.#drawing(node);
      case 'mc:AlternateContent':
        return elementsOf(chosen(node))
          .map((each) => this.#inRun(each))
          .join('');
      default:
        return '';
    }
  }

  #drawing(node: XmlNode): string {
    const { html, boxes } = writeDrawing(node, this.#context, this.#links);
    this.#boxes.push(...boxes);
    return html;
  }

  #note(kind: 'footnote' | 'endnote', node: XmlNode): string {
    const number = this.#context.note(kind, node.attributes.get('w:id') ?? '');
    const id = `${kind}-${number}`;
    return `<sup><a id="to-${id}" href="#${id}">${number}</a></sup>`;
  }
}

/** A character of a symbol font: the fonts of Word keep them in the private area. */
function symbolOf(hexadecimal: string | undefined): string {
  const code = Number.parseInt(hexadecimal ?? '', 16);
  if (!(code > 0x1f && code < 0xfffe) || (code >= 0xd800 && code < 0xe000)) return '';
  const known: Readonly<Record<number, string>> = {
    61623: '•',
    61607: '▪',
    61694: '☒',
    61608: '☐',
    61692: '✓',
  };
  return escapeHtml(known[code] ?? String.fromCodePoint(code));
}
