import { decodeXml } from '../xml/character-data.ts';
import { tokenise, type XmlLimits } from '../xml/tokenise.ts';

/** An element of a part with what is in it. */
export interface XmlNode {
  readonly name: string;
  /** Attributes that the page is written from. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (XmlNode | string)[];
}

/** Attributes that are read; a tag has few of them. */
const READ = [
  ...['val', 'id', 'type', 'w', 'h', 'fill', 'color', 'sz', 'left', 'right', 'start', 'end'],
  ...['hanging', 'firstLine', 'before', 'after', 'line', 'lineRule', 'ascii', 'hAnsi', 'anchor'],
  ...['fldCharType', 'styleId', 'numId', 'abstractNumId', 'ilvl', 'default', 'char', 'name'],
  ...['top', 'bottom', 'orient', 'customStyle'],
].map((name) => `w:${name}`);
const READ_OF_OTHERS = ['r:id', 'r:embed', 'cx', 'cy', 'descr', 'uri', 'style', 'xml:space'];

interface OpenNode {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly children: (XmlNode | string)[];
}

/** Reads a part as a tree. @throws XmlError */
export function parseTree(xml: string, limits: XmlLimits): XmlNode {
  const root: OpenNode = { name: '', attributes: new Map(), children: [] };
  const open = [root];
  tokenise(
    xml,
    {
      open(tag) {
        const attributes = new Map<string, string>();
        const hasNone = tag.end - tag.start <= tag.qualified.length + 3;
        for (const name of hasNone ? [] : [...READ, ...READ_OF_OTHERS]) {
          const value = tag.attribute(name);
          if (value !== undefined) attributes.set(name, value);
        }
        const node: OpenNode = { name: tag.name, attributes, children: [] };
        open.at(-1)?.children.push(node);
        open.push(node);
      },
      close() {
        open.pop();
      },
      text(start, end, literal) {
        const raw = xml.slice(start, end);
        open.at(-1)?.children.push(literal ? raw : decodeXml(raw));
      },
    },
    limits,
  );
  return root;
}

export const elementsOf = (node: XmlNode | undefined): readonly XmlNode[] =>
  node?.children.filter((child) => typeof child !== 'string') ?? [];

/** The first child of a name, or of a path of names. */
export function child(node: XmlNode | undefined, ...path: readonly string[]): XmlNode | undefined {
  let found = node;
  for (const name of path) found = elementsOf(found).find((each) => each.name === name);
  return found;
}

export const childrenOf = (node: XmlNode | undefined, name: string): readonly XmlNode[] =>
  elementsOf(node).filter((each) => each.name === name);

/** `w:val` of the first child of a name. */
export const valOf = (node: XmlNode | undefined, name: string): string | undefined =>
  child(node, name)?.attributes.get('w:val');

/** The first element of a name at any depth. */
export function find(node: XmlNode | undefined, name: string): XmlNode | undefined {
  for (const each of elementsOf(node)) {
    const found = each.name === name ? each : find(each, name);
    if (found) return found;
  }
  return undefined;
}

/** The text at any depth. */
export const textOf = (node: XmlNode): string =>
  node.children.map((each) => (typeof each === 'string' ? each : textOf(each))).join('');

/** Whether an element that switches something on does so; undefined where it is not there. */
export function isOn(node: XmlNode | undefined, name: string): boolean | undefined {
  const found = child(node, name);
  if (!found) return undefined;
  return !['0', 'false', 'off', 'none'].includes(found.attributes.get('w:val') ?? '1');
}
