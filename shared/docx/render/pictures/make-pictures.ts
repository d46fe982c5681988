import { DocxRefused } from '../../docx-refused.ts';
import type { Picture } from '../fill/fill-values.ts';
import type { Code, MakeCode } from './codes.ts';
import { type MadePicture, makePicture } from './pictures.ts';

/** Budget for making codes, in characters; each code counts at least 200. */
const MAX_COST = 250_000;
const OF_EACH = 200;

/**
 * Makes the pictures of a document, equal codes once.
 * @throws DocxRefused for more codes than are made within a request
 */
export function makePictures(
  pictures: readonly Picture[],
  marksPlaces: boolean,
): Promise<(MadePicture | undefined)[]> {
  const codes = new Map<string, ReturnType<MakeCode>>();
  let cost = 0;
  const makeOnce: MakeCode = (code) => {
    const name = nameOf(code);
    const made = codes.get(name) ?? makeCode(code);
    codes.set(name, made);
    return made;
  };
  const wanted = pictures.filter((picture) => picture.kind === 'code');
  for (const { text } of new Map(wanted.map((code) => [nameOf(code), code])).values())
    cost += OF_EACH + text.length;
  if (cost > MAX_COST)
    throw new DocxRefused('DOCX_TOO_COMPLEX', 'The document shows too many codes.');
  return Promise.all(pictures.map((picture) => makePicture(picture, marksPlaces, makeOnce)));
}

const nameOf = ({ symbology, text }: Code): string => `${symbology}\n${text}`;

/** The library is loaded with the first code. */
const makeCode: MakeCode = async (code) => (await import('./codes.ts')).makeCode(code);
