/** A piece of an XML text. */
export interface Markup {
  readonly kind: 'open' | 'close' | 'text' | 'doctype' | 'malformed';
  /** The whole piece. */
  readonly text: string;
  /** Offset of its first character. */
  readonly start: number;
}

/** What may hold angle brackets that mean nothing. */
const DELIMITED = [
  { begin: '<!--', end: '-->' },
  { begin: '<![CDATA[', end: ']]>' },
  { begin: '<?', end: '?>' },
] as const;

/**
 * Cuts an XML text into its pieces, without understanding them. Linear in the length of any text, well-formed
 * or not: it ends at the first piece that is not closed.
 */
export function* markupOf(xml: string): Generator<Markup> {
  let position = xml.startsWith('\ufeff') ? 1 : 0;
  while (position < xml.length) {
    const { markup, end } = pieceAt(xml, position);
    yield markup;
    if (markup.kind === 'malformed') return;
    position = end;
  }
}

interface Piece {
  readonly markup: Markup;
  readonly end: number;
}

function pieceAt(xml: string, start: number): Piece {
  if (xml[start] !== '<') {
    const next = xml.indexOf('<', start);
    return piece('text', xml, start, next < 0 ? xml.length : next);
  }
  for (const { begin, end } of DELIMITED) {
    if (!xml.startsWith(begin, start)) continue;
    const close = xml.indexOf(end, start + begin.length);
    if (close < 0) return piece('malformed', xml, start, xml.length);
    return piece('text', xml, start, close + end.length);
  }
  const end = endOfTag(xml, start);
  if (end < 0) return piece('malformed', xml, start, xml.length);
  if (/^<!doctype/i.test(xml.slice(start, start + 9))) return piece('doctype', xml, start, end);
  return piece(xml[start + 1] === '/' ? 'close' : 'open', xml, start, end);
}

const piece = (kind: Markup['kind'], xml: string, start: number, end: number): Piece => ({
  markup: { kind, text: xml.slice(start, end), start },
  end,
});

/** The offset behind the `>` that closes a tag; quoted attribute values may hold others. */
function endOfTag(xml: string, start: number): number {
  const delimiter = /[>"']/g;
  delimiter.lastIndex = start;
  for (let found = delimiter.exec(xml); found; found = delimiter.exec(xml)) {
    if (found[0] === '>') return delimiter.lastIndex;
    const close = xml.indexOf(found[0], delimiter.lastIndex);
    if (close < 0) return -1;
    delimiter.lastIndex = close + 1;
  }
  return -1;
}

/** Name and attributes of an opening tag, as they are written. */
export function parseTag(tag: string): {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly isEmpty: boolean;
} {
  const name = /^<([^\s/>]*)/.exec(tag)?.[1] ?? '';
  return { name, attributes: attributesIn(tag, name.length + 1), isEmpty: tag.endsWith('/>') };
}

/** Words with a quoted value behind them. No word is looked at twice, whatever is missing. */
function attributesIn(tag: string, start: number): (readonly [name: string, value: string])[] {
  const attributes: (readonly [string, string])[] = [];
  const word = /[^\s=/"'<>]+/g;
  const value = /\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
  word.lastIndex = start;
  for (let found = word.exec(tag); found; found = word.exec(tag)) {
    value.lastIndex = word.lastIndex;
    const [, double, single] = value.exec(tag) ?? [];
    if (value.lastIndex === 0) continue;
    attributes.push([found[0], double ?? single ?? '']);
    word.lastIndex = value.lastIndex;
  }
  return attributes;
}
