import {
  type DocxPackage,
  readingXml,
  readXml,
  relationshipsOf,
  xmlLimits,
} from '../package/docx-package.ts';
import { BlockWriter } from './blocks.ts';
import { styleAttribute } from './css.ts';
import { Numbering } from './numbering.ts';
import { PageRules } from './page-rules.ts';
import { escapeHtml, type HtmlContext, type NoteKind, PartLinks } from './part-context.ts';
import { type Section, sectionsOf } from './sections.ts';
import { Styles } from './styles.ts';
import { child, childrenOf, parseTree, type XmlNode } from './xml-tree.ts';

/** Content security policy: the page may show itself and do nothing else. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'";
const STYLE = [
  'body{margin:0;background:#fff;color:#000}',
  'main{max-width:52em;margin:0 auto;padding:1em}',
  'p,h1,h2,h3,h4,h5,h6{margin:0;font-size:inherit;font-weight:inherit;white-space:pre-wrap;overflow-wrap:anywhere}',
  'table{border-collapse:collapse;max-width:100%}',
  'td{padding:0 5.4pt;vertical-align:top}',
  'img{max-width:100%}',
  // The box of the link is that of the image.
  '.place,.place img{display:inline-block;vertical-align:bottom}',
  '.tab{display:inline-block;min-width:2em}',
  '.box{border:1px solid #999;padding:.3em .6em;margin:.4em 0}',
  '.label{display:inline-block;min-width:1.5em;text-indent:0}',
  'header,footer{color:#444}',
  '.notes{border-top:1px solid #999;margin-top:1em;font-size:smaller}',
  '.page{display:block}',
  '@media print{main{max-width:none;padding:0}.page,.next{break-before:page}}',
].join('');

export interface HtmlOptions {
  readonly title: string;
  /** BCP 47 tag of the language. */
  readonly language: string;
}

/** A document as a page. */
export interface WrittenHtml {
  readonly html: string;
  readonly warnings: readonly 'UNSUPPORTED_CONTENT'[];
}

/**
 * Writes a document as one page that holds all that it shows and runs no script: its text in order, without pages;
 * headers and footers stand once at each section that has its own.
 * @throws DocxRefused for a part that cannot be read
 */
export function writeHtml(pkg: DocxPackage, { title, language }: HtmlOptions): WrittenHtml {
  const page = new Page(pkg);
  const body = page.write();
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}${page.pages.rules}</style>`;
  return {
    html: `<!DOCTYPE html>\n<html lang="${escapeHtml(language)}"><head>${head}</head><body><main${page.base}>\n${body}\n</main></body></html>\n`,
    warnings: page.leavesOut ? ['UNSUPPORTED_CONTENT'] : [],
  };
}

class Page {
  leavesOut = false;
  readonly base: string;
  readonly pages = new PageRules();
  readonly #pkg: DocxPackage;
  readonly #context: HtmlContext;
  /** Notes that are referred to, in the order of their numbers. */
  readonly #notes: Readonly<Record<NoteKind, string[]>> = { footnote: [], endnote: [] };

  constructor(pkg: DocxPackage) {
    this.#pkg = pkg;
    const styles = new Styles(this.#linked('styles'));
    this.base = styleAttribute(styles.base());
    this.#context = {
      pkg,
      styles,
      numbering: new Numbering(this.#linked('numbering')),
      leavesOut: () => {
        this.leavesOut = true;
      },
      note: (kind, id) => {
        const known = this.#notes[kind];
        if (!known.includes(id)) known.push(id);
        return known.indexOf(id) + 1;
      },
    };
  }

  write(): string {
    const { mainDocument } = this.#pkg;
    const links = new PartLinks(this.#pkg, mainDocument);
    const writer = new BlockWriter(this.#context, links);
    const body = child(this.#tree(mainDocument), 'w:document', 'w:body');
    const sections = sectionsOf(body, this.#linked('settings')).map((section) =>
      this.#section(section, writer, links),
    );
    const notes = (['footnote', 'endnote'] as const).map((kind) => this.#notesOf(kind));
    return [...sections, ...notes].filter((each) => each !== '').join('\n');
  }

  #section(section: Section, writer: BlockWriter, links: PartLinks): string {
    const { blocks, headers, footers } = section;
    const stories = (ids: readonly string[], element: string) =>
      ids.map((id) => this.#story(links.part(id), element)).join('');
    const [above, text] = [stories(headers, 'header'), writer.blocks(blocks)];
    return `<section${this.pages.attributes(section)}>${above}${text}${stories(footers, 'footer')}</section>`;
  }

  #story(part: string | undefined, element: string): string {
    const [root] = part === undefined ? [] : this.#tree(part).children;
    if (part === undefined || root === undefined || typeof root === 'string') return '';
    const html = new BlockWriter(this.#context, new PartLinks(this.#pkg, part)).content(root);
    return `<${element}>${html}</${element}>`;
  }

  #notesOf(kind: NoteKind): string {
    const part = this.#nameOf(`${kind}s`);
    if (part === undefined || this.#notes[kind].length === 0) return '';
    const all = childrenOf(child(this.#tree(part), `w:${kind}s`), `w:${kind}`);
    const writer = new BlockWriter(this.#context, new PartLinks(this.#pkg, part));
    // A note may refer to another one.
    const items: string[] = [];
    for (const id of this.#notes[kind]) {
      const note = all.find((each) => each.attributes.get('w:id') === id);
      const back = `${kind}-${items.length + 1}`;
      const text = note ? writer.content(note) : '';
      items.push(`<li id="${back}">${text}<a href="#to-${back}">↑</a></li>`);
    }
    return `<section class="notes"><ol>${items.join('')}</ol></section>`;
  }

  /** A part that the main document has one of. */
  #linked(type: string): XmlNode | undefined {
    const part = this.#nameOf(type);
    return part === undefined ? undefined : this.#tree(part);
  }

  #nameOf(type: string): string | undefined {
    const links = relationshipsOf(this.#pkg, this.#pkg.mainDocument);
    return links.find((each) => each.type === type)?.partName;
  }

  #tree(part: string): XmlNode {
    const xml = readXml(this.#pkg, part);
    if (xml === '') return { name: '', attributes: new Map(), children: [] };
    return readingXml(part, () => parseTree(xml, xmlLimits(this.#pkg.limits)));
  }
}
