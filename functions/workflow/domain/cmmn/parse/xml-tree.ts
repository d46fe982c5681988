/** An element with the elements and the text in it; names without their prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** The text is no well-formed XML, or XML of a kind that is refused. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

interface OpenElement {
  name: string;
  tag: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

const MARKUP =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<\/\s*([^\s>]+)\s*>|<([\p{L}_][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)/guy;
const ATTRIBUTE = /([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};
const MAX_DEPTH = 200;

/**
 * Parses a small XML document into a tree, without a schema. There are no document types here, and so no
 * entities but the five of XML itself.
 * @throws XmlError
 */
export function parseXmlTree(xml: string): XmlElement {
  const top: OpenElement = { name: '', tag: '', attributes: {}, children: [], text: '' };
  const open: OpenElement[] = [top];
  let position = xml.startsWith('\ufeff') ? 1 : 0;
  while (position < xml.length) {
    MARKUP.lastIndex = position;
    const match = MARKUP.exec(xml);
    if (!match) throw new XmlError(`not well-formed at character ${position + 1}`);
    position = MARKUP.lastIndex;
    take(match, open);
  }
  const [root, ...others] = top.children;
  if (!root || others.length > 0 || open.length > 1) throw new XmlError('not one closed element');
  return root;
}

function take(match: RegExpExecArray, open: OpenElement[]): void {
  const [, cdata, closing, tag, attributes = '', isEmpty, text] = match;
  const current = open.at(-1) as OpenElement;
  if (cdata !== undefined) current.text += cdata;
  else if (text !== undefined) current.text += decode(text);
  else if (closing !== undefined) {
    if (open.length === 1 || current.tag !== closing)
      throw new XmlError(`</${closing}> is unexpected`);
    open.pop();
    open.at(-1)?.children.push(current);
  } else if (tag !== undefined) {
    const element = openElement(tag, attributes);
    if (isEmpty) current.children.push(element);
    else open.push(element);
    if (open.length > MAX_DEPTH) throw new XmlError(`nested deeper than ${MAX_DEPTH}`);
  }
}

function openElement(tag: string, attributes: string): OpenElement {
  const pairs = [...attributes.matchAll(ATTRIBUTE)].map(([, name = '', double, single]) => [
    name,
    decode(double ?? single ?? ''),
  ]);
  const name = tag.slice(tag.indexOf(':') + 1);
  return { name, tag, attributes: Object.fromEntries(pairs), children: [], text: '' };
}

function decode(text: string): string {
  return text.replace(/&(#x[\da-f]+|#\d+|\w+);/gi, (whole, code: string) => {
    if (code.startsWith('#')) {
      const point = /^#x/i.test(code) ? Number.parseInt(code.slice(2), 16) : Number(code.slice(1));
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    }
    if (!Object.hasOwn(ENTITIES, code)) throw new XmlError(`the entity ${whole} is not known`);
    return ENTITIES[code] ?? '';
  });
}

/** The children of that name. */
export const childrenNamed = (element: XmlElement, name: string): XmlElement[] =>
  element.children.filter((child) => child.name === name);

/** The text of the element `text` in a child of that name, as DMN nests its expressions. */
export function textIn(element: XmlElement, ...path: readonly string[]): string | undefined {
  let found: XmlElement | undefined = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found?.text.trim() || undefined;
}
