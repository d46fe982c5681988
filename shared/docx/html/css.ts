import { child, isOn, valOf, type XmlNode } from './xml-tree.ts';

/** Declarations of a style, later ones over earlier ones. */
export type Css = Map<string, string>;

const COLOUR = /^[0-9a-fA-F]{6}$/;
const ALIGNMENT: Readonly<Record<string, string>> = {
  center: 'center',
  right: 'right',
  end: 'right',
  both: 'justify',
  distribute: 'justify',
  left: 'left',
  start: 'left',
};
const BORDER_STYLES: Readonly<Record<string, string>> = {
  double: 'double',
  dotted: 'dotted',
  dashed: 'dashed',
  dashSmallGap: 'dashed',
};
/** Fonts of people who have not those of Word; each has Vietnamese letters. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  'Times New Roman': 'Tinos, "Liberation Serif", serif',
  Cambria: 'Tinos, "Liberation Serif", serif',
  Georgia: 'serif',
  'Courier New': 'Cousine, "Liberation Mono", monospace',
  Consolas: 'Cousine, monospace',
  Calibri: 'Carlito, sans-serif',
};

/** Twentieths of a point. */
const twips = (value: string | undefined): number | undefined => {
  const number = Number(value);
  return value === undefined || !Number.isFinite(number) ? undefined : number / 20;
};
const points = (value: number): string => `${Math.round(value * 100) / 100}pt`;

function length(css: Css, name: string, value: string | undefined): void {
  const found = twips(value);
  if (found !== undefined) css.set(name, points(found));
}

export const colourOf = (value: string | undefined): string | undefined =>
  value !== undefined && COLOUR.test(value) ? `#${value.toLowerCase()}` : undefined;

/** Properties of a paragraph (w:pPr). */
export function paragraphCss(css: Css, properties: XmlNode | undefined): void {
  if (!properties) return;
  const alignment = ALIGNMENT[valOf(properties, 'w:jc') ?? ''];
  if (alignment) css.set('text-align', alignment);
  const indent = child(properties, 'w:ind')?.attributes;
  length(css, 'margin-left', indent?.get('w:left') ?? indent?.get('w:start'));
  length(css, 'margin-right', indent?.get('w:right') ?? indent?.get('w:end'));
  length(css, 'text-indent', indent?.get('w:firstLine'));
  const hanging = twips(indent?.get('w:hanging'));
  if (hanging !== undefined) css.set('text-indent', points(-hanging));
  const spacing = child(properties, 'w:spacing')?.attributes;
  length(css, 'margin-top', spacing?.get('w:before'));
  length(css, 'margin-bottom', spacing?.get('w:after'));
  lineHeight(css, spacing);
  const fill = colourOf(child(properties, 'w:shd')?.attributes.get('w:fill'));
  if (fill) css.set('background-color', fill);
  borders(css, child(properties, 'w:pBdr'));
  if (isOn(properties, 'w:pageBreakBefore')) css.set('break-before', 'page');
}

function lineHeight(css: Css, spacing: ReadonlyMap<string, string> | undefined): void {
  const line = Number(spacing?.get('w:line') ?? Number.NaN);
  if (!(line > 0)) return;
  const isExact = ['exact', 'atLeast'].includes(spacing?.get('w:lineRule') ?? '');
  css.set('line-height', isExact ? points(line / 20) : `${Math.round((line / 240) * 120) / 100}`);
}

/** Borders of a paragraph, a table or a cell. */
export function borders(css: Css, all: XmlNode | undefined): void {
  for (const side of ['top', 'right', 'bottom', 'left']) {
    const logical = { left: 'w:start', right: 'w:end' }[side] ?? '';
    const border = child(all, `w:${side}`) ?? child(all, logical);
    if (border) css.set(`border-${side}`, borderOf(border));
  }
}

/** A border as CSS has it. */
export function borderOf({ attributes }: XmlNode): string {
  const style = attributes.get('w:val') ?? 'single';
  if (style === 'nil' || style === 'none') return 'none';
  const width = Number(attributes.get('w:sz') ?? 4) / 8;
  const colour = colourOf(attributes.get('w:color')) ?? 'currentcolor';
  return `${points(Math.min(Math.max(width || 0.5, 0.25), 12))} ${BORDER_STYLES[style] ?? 'solid'} ${colour}`;
}

/** Properties of a run (w:rPr). */
export function runCss(css: Css, properties: XmlNode | undefined): void {
  if (!properties) return;
  toggle(css, isOn(properties, 'w:b'), 'font-weight', 'bold');
  toggle(css, isOn(properties, 'w:i'), 'font-style', 'italic');
  toggle(css, isOn(properties, 'w:caps'), 'text-transform', 'uppercase', 'none');
  toggle(css, isOn(properties, 'w:smallCaps'), 'font-variant', 'small-caps');
  if (isOn(properties, 'w:vanish')) css.set('display', 'none');
  decorations(css, properties);
  const size = Number(valOf(properties, 'w:sz') ?? Number.NaN);
  if (size > 0) css.set('font-size', points(size / 2));
  const colour = colourOf(valOf(properties, 'w:color'));
  if (colour) css.set('color', colour);
  const fill = colourOf(child(properties, 'w:shd')?.attributes.get('w:fill'));
  if (fill) css.set('background-color', fill);
  const fonts = child(properties, 'w:rFonts')?.attributes;
  const font = fonts?.get('w:ascii') ?? fonts?.get('w:hAnsi');
  if (font !== undefined) css.set('font-family', familyOf(font));
  const place = valOf(properties, 'w:vertAlign');
  if (place === 'superscript') css.set('vertical-align', 'super');
  if (place === 'subscript') css.set('vertical-align', 'sub');
}

function toggle(css: Css, on: boolean | undefined, name: string, value: string, off = 'normal') {
  if (on !== undefined) css.set(name, on ? value : off);
}

function decorations(css: Css, properties: XmlNode): void {
  const underline = valOf(properties, 'w:u');
  const lines = [
    underline !== undefined && underline !== 'none' && 'underline',
    (isOn(properties, 'w:strike') || isOn(properties, 'w:dstrike')) && 'line-through',
  ].filter((line) => line !== false && line !== undefined);
  if (lines.length > 0) css.set('text-decoration', lines.join(' '));
  else if (underline === 'none') css.set('text-decoration', 'none');
}

function familyOf(font: string): string {
  const name = font.replace(/[^\p{L}\p{N} .-]/gu, '').slice(0, 60);
  return `"${name}", ${SUBSTITUTES[name] ?? 'Arimo, "Liberation Sans", sans-serif'}`;
}

/** The declarations as an attribute; empty without any. */
export function styleAttribute(css: Css): string {
  const text = [...css].map(([name, value]) => `${name}:${value}`).join(';');
  return text === '' ? '' : ` style="${text.replaceAll('"', "'")}"`;
}
