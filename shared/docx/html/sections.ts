import { child, childrenOf, elementsOf, isOn, type XmlNode } from './xml-tree.ts';

/** A section of a document. */
export interface Section {
  readonly blocks: readonly XmlNode[];
  /** Relationships of the headers that begin to be shown in it: on its first page, on all pages, on even ones. */
  readonly headers: readonly string[];
  readonly footers: readonly string[];
  /** Its w:sectPr. */
  readonly properties: XmlNode | undefined;
}

const TYPES = ['first', 'default', 'even'] as const;
/** Elements around blocks whose content is that of the body. */
const TRANSPARENT = new Set(['w:sdt', 'w:sdtContent', 'w:customXml', 'w:ins', 'w:moveTo']);

/**
 * The sections of a body: the last paragraph of each but the last has its properties.
 * @param settings root of the settings, which say whether even pages have headers of their own
 */
export function sectionsOf(
  body: XmlNode | undefined,
  settings: XmlNode | undefined,
): readonly Section[] {
  const hasEven = isOn(child(settings, 'w:settings'), 'w:evenAndOddHeaders') === true;
  const [headers, footers] = [
    new Stories('w:headerReference', hasEven),
    new Stories('w:footerReference', hasEven),
  ];
  const sections: Section[] = [];
  let blocks: XmlNode[] = [];
  const end = (properties: XmlNode | undefined): void => {
    sections.push({
      ...{ blocks, properties },
      headers: headers.shownIn(properties),
      footers: footers.shownIn(properties),
    });
    blocks = [];
  };
  for (const each of blocksOf(body)) {
    if (each.name === 'w:sectPr') {
      end(each);
      continue;
    }
    blocks.push(each);
    const properties = each.name === 'w:p' ? child(each, 'w:pPr', 'w:sectPr') : undefined;
    if (properties) end(properties);
  }
  if (blocks.length > 0) end(undefined);
  return sections;
}

const blocksOf = (node: XmlNode | undefined): readonly XmlNode[] =>
  elementsOf(node).flatMap((each) => (TRANSPARENT.has(each.name) ? blocksOf(each) : [each]));

/** The headers, or the footers, of one section after the other: each goes on until another one of its type comes. */
class Stories {
  readonly #name: string;
  readonly #hasEven: boolean;
  /** By type, those that no section has shown yet. */
  readonly #waiting = new Map<string, string>();

  constructor(name: string, hasEven: boolean) {
    this.#name = name;
    this.#hasEven = hasEven;
  }

  shownIn(properties: XmlNode | undefined): readonly string[] {
    for (const each of childrenOf(properties, this.#name)) {
      const id = each.attributes.get('r:id');
      if (id !== undefined) this.#waiting.set(each.attributes.get('w:type') ?? 'default', id);
    }
    const hasFirst = isOn(properties, 'w:titlePg') === true;
    const isShown = { first: hasFirst, default: true, even: this.#hasEven };
    return TYPES.filter((type) => isShown[type]).flatMap((type) => {
      const id = this.#waiting.get(type);
      this.#waiting.delete(type);
      return id ?? [];
    });
  }
}
