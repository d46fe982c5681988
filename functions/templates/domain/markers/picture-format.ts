/** Millimetres. */
export interface PictureSize {
  readonly widthMm?: number;
  readonly heightMm?: number;
}

const SIZE = /^(\d{1,3}(?:\.\d+)?)?(?:\s*[x×]\s*(\d{1,3}(?:\.\d+)?))?\s*(mm|cm)?$/i;
const MAX_MM = 400;

/** Reads `40x20mm`, `4x2cm`, `40` (the width) and `x20` (the height); `undefined` for anything else. */
export function parseSize(text: string): PictureSize | undefined {
  const [, width, height, unit] = SIZE.exec(text.trim()) ?? [];
  const factor = unit?.toLowerCase() === 'cm' ? 10 : 1;
  const sides = [width, height].map((side) =>
    side === undefined ? undefined : Number(side) * factor,
  );
  if (sides.some((side) => side !== undefined && (side <= 0 || side > MAX_MM))) return undefined;
  const [widthMm, heightMm] = sides;
  if (widthMm === undefined && heightMm === undefined) return text.trim() === '' ? {} : undefined;
  return {
    ...(widthMm === undefined ? {} : { widthMm }),
    ...(heightMm === undefined ? {} : { heightMm }),
  };
}

export interface CodeFormat extends PictureSize {
  readonly symbology: string;
}

/** Reads `code128 50x15mm`: the kind of barcode, its size, or both. */
export function parseCode(text: string, usual: string): CodeFormat | undefined {
  const [first = '', ...rest] = text.trim().split(/\s+/);
  const isKind = /^[a-z][a-z0-9-]*$/i.test(first);
  const size = parseSize(isKind ? rest.join(' ') : text);
  return size && { symbology: isKind ? first.toLowerCase() : usual, ...size };
}
