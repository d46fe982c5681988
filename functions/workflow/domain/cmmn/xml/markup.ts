/** A piece of an XML text. */
export interface Markup {
  readonly kind: 'open' | 'close' | 'doctype' | 'malformed';
  /** The whole piece. */
  readonly text: string;
  /** Offset of its first character. */
  readonly start: number;
}

/** Parts of the text in which angle brackets are not markup. */
const DELIMITED = [
  { begin: '<!--', end: '-->' },
  { begin: '<![CDATA[', end: ']]>' },
  { begin: '<?', end: '?>' },
] as const;

/**
 * The tags of an XML text, without understanding them. Linear in the length of any text, well-formed or not: it ends
 * at the first piece that is not closed.
 */
export function* markupOf(xml: string): Generator<Markup> {
  let start = xml.indexOf('<');
  while (start >= 0) {
    const { kind, end } = pieceAt(xml, start);
    if (kind) yield { kind, text: xml.slice(start, end), start };
    if (kind === 'malformed') return;
    start = xml.indexOf('<', end);
  }
}

interface Piece {
  /** undefined: nothing of importance. */
  readonly kind?: Markup['kind'];
  readonly end: number;
}

function pieceAt(xml: string, start: number): Piece {
  const next = xml[start + 1];
  if (next === '!' || next === '?') {
    for (const { begin, end } of DELIMITED) {
      if (!xml.startsWith(begin, start)) continue;
      const close = xml.indexOf(end, start + begin.length);
      return close < 0 ? { kind: 'malformed', end: xml.length } : { end: close + end.length };
    }
  }
  const end = endOfTag(xml, start);
  if (end < 0) return { kind: 'malformed', end: xml.length };
  if (/^<!doctype/i.test(xml.slice(start, start + 9))) return { kind: 'doctype', end };
  return { kind: next === '/' ? 'close' : 'open', end };
}

/** The offset behind the `>` that closes a tag; quoted attribute values may hold others. */
function endOfTag(xml: string, start: number): number {
  for (let offset = start; offset < xml.length; offset++) {
    const character = xml[offset];
    if (character === '>') return offset + 1;
    if (character !== '"' && character !== "'") continue;
    offset = xml.indexOf(character, offset + 1);
    if (offset < 0) return -1;
  }
  return -1;
}

/** Name and attributes of an opening tag, as they are written. */
export function parseTag(tag: string): {
  readonly name: string;
  /** Those behind the id only where a namespace is declared. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly isEmpty: boolean;
} {
  const name = /^<([^\s/>]*)/.exec(tag)?.[1] ?? '';
  const last = tag.includes('xmlns') ? undefined : 'id';
  const attributes = attributesIn(tag, name.length + 1, last);
  return { name, attributes, isEmpty: tag.endsWith('/>') };
}

/** Words with a quoted value behind them, up to one with a name. No word is looked at twice, whatever is missing. */
function attributesIn(
  tag: string,
  start: number,
  last: string | undefined,
): (readonly [name: string, value: string])[] {
  const attributes: (readonly [string, string])[] = [];
  const word = /[^\s=/"'<>]+/g;
  const value = /\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
  word.lastIndex = start;
  for (let found = word.exec(tag); found; found = word.exec(tag)) {
    value.lastIndex = word.lastIndex;
    const [, double, single] = value.exec(tag) ?? [];
    if (value.lastIndex === 0) continue;
    attributes.push([found[0], double ?? single ?? '']);
    if (found[0] === last) break;
    word.lastIndex = value.lastIndex;
  }
  return attributes;
}
