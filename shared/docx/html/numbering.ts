import { type Css, paragraphCss } from './css.ts';
import { child, childrenOf, valOf, type XmlNode } from './xml-tree.ts';

/** Bullets of Symbol and Wingdings, in Unicode. */
const BULLETS: Readonly<Record<string, string>> = {
  '\uf0b7': '•',
  '\uf0a7': '▪',
  '\uf0d8': '➢',
  '\uf0fc': '✓',
  '\uf0a8': '☐',
  o: '◦',
};
const ROMAN: readonly (readonly [number, string])[] = [
  ...([
    [1000, 'm'],
    [900, 'cm'],
    [500, 'd'],
    [400, 'cd'],
  ] as const),
  ...([
    [100, 'c'],
    [90, 'xc'],
    [50, 'l'],
    [40, 'xl'],
  ] as const),
  ...([
    [10, 'x'],
    [9, 'ix'],
    [5, 'v'],
    [4, 'iv'],
    [1, 'i'],
  ] as const),
];
const MAX_NUMBER = 30_000;

/** Number or bullet of a paragraph in a list. */
export interface ListLabel {
  readonly text: string;
  /** Indents of the level. */
  readonly css: Css;
}

/** Counts the paragraphs of the lists of a document. */
export class Numbering {
  readonly #levels = new Map<string, ReadonlyMap<number, XmlNode>>();
  readonly #counts = new Map<string, number[]>();

  constructor(part: XmlNode | undefined) {
    const root = child(part, 'w:numbering');
    const abstract = new Map(
      childrenOf(root, 'w:abstractNum').map((each) => [
        each.attributes.get('w:abstractNumId'),
        each,
      ]),
    );
    for (const list of childrenOf(root, 'w:num')) {
      const from = abstract.get(valOf(list, 'w:abstractNumId'));
      const levels = childrenOf(from, 'w:lvl').map(
        (level) => [Number(level.attributes.get('w:ilvl')), level] as const,
      );
      this.#levels.set(list.attributes.get('w:numId') ?? '', new Map(levels));
    }
  }

  /** The label of the next paragraph of a list; undefined when it has none. */
  next(list: XmlNode | undefined): ListLabel | undefined {
    const id = valOf(list, 'w:numId') ?? '';
    const levels = this.#levels.get(id);
    const at = Math.min(Math.max(Number(valOf(list, 'w:ilvl') ?? 0) || 0, 0), 8);
    const level = levels?.get(at);
    if (!levels || !level) return undefined;
    const counts = this.#counts.get(id) ?? [];
    this.#counts.set(id, counts);
    counts[at] = (counts[at] ?? startOf(level) - 1) + 1;
    counts.length = at + 1;
    const css: Css = new Map();
    paragraphCss(css, child(level, 'w:pPr'));
    return { text: labelOf(level, levels, counts), css };
  }
}

const startOf = (level: XmlNode | undefined): number => Number(valOf(level, 'w:start') ?? 1) || 0;

function labelOf(
  level: XmlNode,
  levels: ReadonlyMap<number, XmlNode>,
  counts: readonly number[],
): string {
  const text = valOf(level, 'w:lvlText') ?? '';
  if (valOf(level, 'w:numFmt') === 'bullet') return BULLETS[text] ?? text;
  return text.replace(/%([1-9])/g, (_, digit: string) => {
    const at = Number(digit) - 1;
    const of = levels.get(at);
    return numeral(counts[at] ?? startOf(of), valOf(of, 'w:numFmt') ?? 'decimal');
  });
}

/** A number in a format of Word; those of other scripts in digits. */
function numeral(value: number, format: string): string {
  const number = Math.min(Math.max(value, 0), MAX_NUMBER);
  switch (format) {
    case 'none':
      return '';
    case 'lowerLetter':
      return letters(number);
    case 'upperLetter':
      return letters(number).toUpperCase();
    case 'lowerRoman':
      return roman(number);
    case 'upperRoman':
      return roman(number).toUpperCase();
    case 'decimalZero':
      return String(number).padStart(2, '0');
    default:
      return String(number);
  }
}

/** a to z, then aa to zz, as Word has it. */
function letters(value: number): string {
  if (value === 0) return '0';
  const letter = String.fromCharCode(97 + ((value - 1) % 26));
  return letter.repeat(Math.ceil(value / 26));
}

function roman(value: number): string {
  let rest = value;
  let text = '';
  for (const [worth, sign] of ROMAN) {
    text += sign.repeat(Math.floor(rest / worth));
    rest %= worth;
  }
  return text || '0';
}
