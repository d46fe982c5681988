import type { Section } from './sections.ts';
import { child, valOf } from './xml-tree.ts';

/** Twentieths of a point in the longest side of a page that Word has (22 inches). */
const MAX_TWIPS = 31_680;
const SIDES = ['top', 'right', 'bottom', 'left'];

/** Sizes and margins of the pages that sections are printed on, as rules of CSS. */
export class PageRules {
  readonly #names = new Map<string, string>();
  #sections = 0;

  get rules(): string {
    return [...this.#names].map(([rule, name]) => `@page ${name}{${rule}}`).join('');
  }

  /** Page properties of a section. */
  attributes({ properties }: Pick<Section, 'properties'>): string {
    const isFirst = this.#sections === 0;
    this.#sections += 1;
    const isNext = !isFirst && valOf(properties, 'w:type') !== 'continuous';
    const size = child(properties, 'w:pgSz')?.attributes;
    const [width, height] = [twips(size?.get('w:w')), twips(size?.get('w:h'))];
    const next = isNext ? ' class="next"' : '';
    if (!width || !height) return next;
    const margins = child(properties, 'w:pgMar')?.attributes;
    const sides = SIDES.map((side) => `${(twips(margins?.get(`w:${side}`)) ?? 1_440) / 20}pt`);
    const rule = `size:${width / 20}pt ${height / 20}pt;margin:${sides.join(' ')}`;
    return `${next} style="page:${this.#nameOf(rule)}"`;
  }

  #nameOf(rule: string): string {
    const name = this.#names.get(rule) ?? `pages-${this.#names.size + 1}`;
    this.#names.set(rule, name);
    return name;
  }
}

/** A length without its sign, which says how it meets headers; none that no page has. */
function twips(value: string | undefined): number | undefined {
  const number = Math.abs(Number(value ?? Number.NaN));
  return number <= MAX_TWIPS ? number : undefined;
}
