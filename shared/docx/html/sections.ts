import { child, childrenOf, elementsOf, type XmlNode } from './xml-tree.ts';

/** A section of a document. */
export interface Section {
  readonly blocks: readonly XmlNode[];
  /** Relationships of the headers that it names: of its first page, of all pages, of even ones. */
  readonly headers: readonly string[];
  readonly footers: readonly string[];
  /** Its w:sectPr. */
  readonly properties: XmlNode | undefined;
}

const ORDER = ['first', 'default', 'even'];

/** The sections of a body: the last paragraph of each but the last has its properties. */
export function sectionsOf(body: XmlNode | undefined): readonly Section[] {
  const sections: Section[] = [];
  let blocks: XmlNode[] = [];
  const end = (properties: XmlNode | undefined): void => {
    sections.push({
      ...{ blocks, properties },
      headers: referencesOf(properties, 'w:headerReference'),
      footers: referencesOf(properties, 'w:footerReference'),
    });
    blocks = [];
  };
  for (const each of elementsOf(body)) {
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

function referencesOf(properties: XmlNode | undefined, name: string): readonly string[] {
  const place = (node: XmlNode) => ORDER.indexOf(node.attributes.get('w:type') ?? 'default');
  return childrenOf(properties, name)
    .toSorted((a, b) => place(a) - place(b))
    .flatMap((each) => each.attributes.get('r:id') ?? []);
}
