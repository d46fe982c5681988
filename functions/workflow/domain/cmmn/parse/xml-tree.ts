import { type Markup, markupOf, parseTag } from './markup.ts';

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
  readonly name: string;
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
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
 * Parses a small XML document into a tree, without a schema. There are no document types here, and so no
 * entities but the five of XML itself.
 * @throws XmlError
 */
export function parseXmlTree(xml: string): XmlElement {
  const top = openElement('', []);
  const open: OpenElement[] = [top];
  for (const markup of markupOf(xml)) take(markup, open);
  const [root, ...others] = top.children;
  if (!root || others.length > 0 || open.length > 1) throw new XmlError('not one closed element');
  return root;
}

function take({ kind, text, start }: Markup, open: OpenElement[]): void {
  const current = open.at(-1) as OpenElement;
  switch (kind) {
    case 'cdata':
      current.text += text;
      break;
    case 'text':
      current.text += decode(text);
      break;
    case 'open':
      enter(text, current, open);
      break;
    case 'close':
      leave(text.slice(2, -1).trim(), current, open);
      break;
    case 'ignored':
      break;
    default:
      throw new XmlError(`not well-formed at character ${start + 1}`);
  }
}

function enter(tag: string, current: OpenElement, open: OpenElement[]): void {
  const { name, attributes, isEmpty } = parseTag(tag);
  const element = openElement(name, attributes);
  if (isEmpty) current.children.push(element);
  else open.push(element);
  if (open.length > MAX_DEPTH) throw new XmlError(`nested deeper than ${MAX_DEPTH}`);
}

function leave(tag: string, current: OpenElement, open: OpenElement[]): void {
  if (open.length === 1 || current.tag !== tag) throw new XmlError(`</${tag}> is unexpected`);
  open.pop();
  open.at(-1)?.children.push(current);
}

const openElement = (
  tag: string,
  attributes: readonly (readonly [string, string])[],
): OpenElement => ({
  name: tag.slice(tag.indexOf(':') + 1),
  tag,
  attributes: Object.fromEntries(attributes.map(([name, value]) => [name, decode(value)])),
  children: [],
  text: '',
});

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
