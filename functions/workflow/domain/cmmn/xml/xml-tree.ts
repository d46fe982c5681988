import { Parser } from 'saxen';

/** An element with the elements and the text in it; names without their prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** The text is not well-formed XML, or uses a feature that is refused. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
  readonly kind: 'malformed' | 'doctype';

  constructor(message: string, kind: XmlError['kind'] = 'malformed') {
    super(message);
    this.kind = kind;
  }
}

/** An element that is still being read. */
interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};
const MAX_DEPTH = 200;

/**
 * Parses a small XML document into a tree, without a schema, with `saxen`. Document types are refused where
 * they begin, so there are no entities but the five of XML itself.
 * @throws XmlError
 */
export function parseXmlTree(xml: string): XmlElement {
  const top = openElement('', {});
  const open: OpenElement[] = [top];
  const current = (): OpenElement => open.at(-1) ?? top;
  const refuse = (reason: Error, place: () => { line: number; column: number }): never => {
    const { line, column } = place();
    throw new XmlError(`line ${line + 1}, column ${column + 1}: ${reason.message}`);
  };
  new Parser()
    .on('openTag', (tag, attributes) => {
      const element = openElement(tag, attributes() || {});
      current().children.push(element);
      open.push(element);
      if (open.length > MAX_DEPTH) throw new XmlError(`nested deeper than ${MAX_DEPTH}`);
    })
    .on('closeTag', () => open.pop())
    .on('text', (text) => {
      current().text += decode(text);
    })
    .on('cdata', (text) => {
      current().text += text;
    })
    .on('attention', () => {
      throw new XmlError('there must be no document type', 'doctype');
    })
    .on('error', refuse)
    .on('warn', refuse)
    .parse(xml);
  const [root, ...others] = top.children;
  if (!root || others.length > 0) throw new XmlError('there must be one outermost element');
  return root;
}

const openElement = (tag: string, attributes: Readonly<Record<string, string>>): OpenElement => ({
  name: tag.slice(tag.indexOf(':') + 1),
  attributes: Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, decode(value)]),
  ),
  children: [],
  text: '',
});

/** The five entities of XML and characters by number; `saxen` decodes none beyond 16 bits. */
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
