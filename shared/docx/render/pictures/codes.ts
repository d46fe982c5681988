import bwipjs from 'bwip-js/node';

/** Kinds of codes that templates can show, by the names that bwip-js gives them. */
const SYMBOLOGIES: ReadonlySet<string> = new Set([
  'qrcode',
  'code128',
  'code39',
  'ean13',
  'ean8',
  'upca',
  'itf14',
  'datamatrix',
  'pdf417',
  'gs1-128',
]);
const MAX_TEXT = 2_000;
const SQUARE: ReadonlySet<string> = new Set(['qrcode', 'datamatrix']);

/** A QR code or barcode. */
export interface Code {
  readonly symbology: string;
  readonly text: string;
}

/** Gives the PNG of a code; `undefined` for a kind that is not known or a text that it cannot hold. */
export type MakeCode = (code: Code) => Promise<Uint8Array | undefined>;

/** See `MakeCode`. */
export async function makeCode({ symbology, text }: Code): ReturnType<MakeCode> {
  if (!SYMBOLOGIES.has(symbology) || text === '' || text.length > MAX_TEXT) return undefined;
  const isSquare = SQUARE.has(symbology);
  try {
    return await bwipjs.toBuffer({
      bcid: symbology,
      text,
      scale: 3,
      padding: isSquare ? 2 : 1,
      backgroundcolor: 'FFFFFF',
      ...(isSquare ? {} : { height: 12, includetext: true }),
    });
  } catch {
    return undefined;
  }
}
