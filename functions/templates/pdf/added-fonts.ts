import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Where a layer of the application puts the fonts of its folder `fonts`. */
const OF_LAYER = '/opt/fonts';
/** TrueType and OpenType, and collections of these. */
const FONT = /\.(?:ttf|otf|ttc|otc)$/i;

/** The folder with fonts that an application adds to those of the engines; it need not be there. */
export const addedFonts = ({ PDF_FONTS_PATH }: NodeJS.ProcessEnv): string =>
  PDF_FONTS_PATH || OF_LAYER;

/** Files of fonts in a folder and below. */
export const fontFilesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => FONT.test(name))
        .sort()
        .map((name) => join(folder, name))
        .filter(isFile)
    : [];

/** Links that lead nowhere are none. */
const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;
