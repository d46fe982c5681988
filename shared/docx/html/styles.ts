import { type Css, paragraphCss, runCss } from './css.ts';
import { child, childrenOf, valOf, type XmlNode } from './xml-tree.ts';

/** Longest chain of styles; a style that is its own ancestor is cut off too. */
const MAX_CHAIN = 20;

/** The styles of a document, with what they inherit. */
export class Styles {
  readonly #styles = new Map<string, XmlNode>();
  readonly #defaults: XmlNode | undefined;
  readonly #usual = new Map<string, string>();

  constructor(part: XmlNode | undefined) {
    const root = child(part, 'w:styles');
    this.#defaults = child(root, 'w:docDefaults');
    for (const style of childrenOf(root, 'w:style')) {
      const id = style.attributes.get('w:styleId') ?? '';
      this.#styles.set(id, style);
      const isUsual = style.attributes.get('w:default') === '1';
      if (isUsual) this.#usual.set(style.attributes.get('w:type') ?? '', id);
    }
  }

  /** How the text of a document looks that says nothing. */
  base(): Css {
    const css: Css = new Map();
    runCss(css, child(this.#defaults, 'w:rPrDefault', 'w:rPr'));
    for (const style of this.#chain(this.#usual.get('paragraph'))) {
      runCss(css, child(style, 'w:rPr'));
    }
    return css;
  }

  paragraph(properties: XmlNode | undefined): Css {
    const css: Css = new Map();
    paragraphCss(css, child(this.#defaults, 'w:pPrDefault', 'w:pPr'));
    for (const style of this.#chain(this.#styleOf(properties))) {
      paragraphCss(css, child(style, 'w:pPr'));
      runCss(css, child(style, 'w:rPr'));
    }
    paragraphCss(css, properties);
    return css;
  }

  run(properties: XmlNode | undefined): Css {
    const css: Css = new Map();
    for (const style of this.#chain(valOf(properties, 'w:rStyle'))) {
      runCss(css, child(style, 'w:rPr'));
    }
    runCss(css, properties);
    return css;
  }

  /** Properties of tables of a style: the outermost first. */
  table(id: string | undefined): readonly XmlNode[] {
    return this.#chain(id).flatMap((style) => child(style, 'w:tblPr') ?? []);
  }

  /** Heading of level 1 to 6, by the style or by the paragraph itself. */
  headingLevel(properties: XmlNode | undefined): number | undefined {
    const levels = [
      ...this.#chain(this.#styleOf(properties)).map((style) => child(style, 'w:pPr')),
      properties,
    ].map((each) => valOf(each, 'w:outlineLvl'));
    const level = levels.findLast((each) => each !== undefined);
    return level !== undefined && /^[0-5]$/.test(level) ? Number(level) + 1 : undefined;
  }

  /** The list of a paragraph: its own, or that of its style. */
  numbering(properties: XmlNode | undefined): XmlNode | undefined {
    const chain = this.#chain(this.#styleOf(properties)).map((style) => child(style, 'w:pPr'));
    return [...chain, properties].map((each) => child(each, 'w:numPr')).findLast(Boolean);
  }

  #styleOf(properties: XmlNode | undefined): string | undefined {
    return valOf(properties, 'w:pStyle') ?? this.#usual.get('paragraph');
  }

  /** A style and those that it is based on, the first of them first. */
  #chain(id: string | undefined): XmlNode[] {
    const chain: XmlNode[] = [];
    for (let at = id; at !== undefined && chain.length < MAX_CHAIN; ) {
      const style = this.#styles.get(at);
      if (!style || chain.includes(style)) break;
      chain.unshift(style);
      at = valOf(style, 'w:basedOn');
    }
    return chain;
  }
}
