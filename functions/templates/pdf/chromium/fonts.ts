import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FONT_NAMES, FONTS, type FontName, facesOf } from './font-list.ts';

/** The rules of fonts, each for the pages that name it. */
export type FontRules = ReadonlyMap<FontName, string>;

/** Reads the fonts. @param folderOf gives the folder with the files of a font */
export function readFonts(folderOf: (font: string) => string): FontRules {
  return new Map(FONT_NAMES.map((font) => [font, rulesOf(font, folderOf(font.toLowerCase()))]));
}

function rulesOf(font: FontName, folder: string): string {
  const rules = facesOf(font).map(({ file, descriptors }) => {
    const data = readFileSync(join(folder, file)).toString('base64');
    return `@font-face{font-family:${font};${descriptors};src:url(data:font/woff2;base64,${data}) format("woff2")}`;
  });
  return rules.join('');
}

/**
 * Puts the fonts into a page that it names, or whose fonts they stand for; every page has Tinos, for text that has no
 * font.
 */
export function withFonts(html: string, fonts: FontRules): string {
  const used = FONT_NAMES.filter(
    (font) => font === 'Tinos' || [font, ...FONTS[font]].some((name) => html.includes(name)),
  );
  const rules = used.map((font) => fonts.get(font) ?? '').join('');
  return html.replace(
    '</head>',
    () => `<style>${rules}:root{font-family:Tinos,serif}</style></head>`,
  );
}
