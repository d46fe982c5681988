import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FONT_NAMES, FONTS, type FontName, facesOf } from './font-list.ts';

/** The rules of fonts, each for the pages that name it. */
export type FontRules = ReadonlyMap<FontName, string>;

/** Reads the fonts. @param folderOf gives the folder with the files of a font */
export async function readFonts(folderOf: (font: string) => Promise<string>): Promise<FontRules> {
  const read = FONT_NAMES.map(
    async (font) => [font, await rulesOf(font, await folderOf(font.toLowerCase()))] as const,
  );
  return new Map(await Promise.all(read));
}

async function rulesOf(font: FontName, folder: string): Promise<string> {
  const rules = facesOf(font).map(async ({ file, descriptors }) => {
    const data = await readFile(join(folder, file), 'base64');
    return `@font-face{font-family:${font};${descriptors};src:url(data:font/woff2;base64,${data}) format("woff2")}`;
  });
  return (await Promise.all(rules)).join('');
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
