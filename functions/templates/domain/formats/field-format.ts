import { type DataType, isNumeric, isTemporal } from './data-type.ts';
import { parseDatePicture } from './date-picture.ts';
import { type MarkerFormat, parseMarkerFormat } from './marker-format.ts';
import { parseNumberPicture } from './number-picture.ts';

/** How a field is declared to be shown, and what only its type understands. */
export interface FieldFormat {
  readonly marker: MarkerFormat;
  /** Words for true and false. */
  readonly words?: readonly [string, string];
  /** Text between the elements of a list. */
  readonly separator?: string;
}

const NOTHING: FieldFormat = { marker: parseMarkerFormat('') };
const CURRENCY = /^([A-Z]{3})(?:\s+(.+))?$/s;
const known = new Map<string, FieldFormat | undefined>();
const MOST_KNOWN = 2_000;

/**
 * Reads the `format` of a declared field: a picture (`#,##0.00`, `dd/MM/yyyy`), `USD` or `USD #,##0.00` for amounts,
 * `Đạt/Không đạt` for booleans, the separator of a list, a size for a picture; `|upper` or `\* Upper` for every type.
 * @returns `undefined` when the format means nothing for the type
 */
export function parseFieldFormat(
  format: string | null | undefined,
  type: DataType,
): FieldFormat | undefined {
  if (format === null || format === undefined || format === '') return NOTHING;
  const key = `${type} ${format}`;
  if (known.has(key)) return known.get(key);
  const read = readFormat(format, type);
  if (known.size < MOST_KNOWN) known.set(key, read);
  return read;
}

function readFormat(format: string, type: DataType): FieldFormat | undefined {
  if (/^\s*(?:\||\\\S)/.test(format)) return checked(parseMarkerFormat(format));
  if (type === 'CURRENCY') return currencyFormat(format);
  if (isNumeric(type)) return checked({ ...NOTHING.marker, numberPicture: format });
  if (isTemporal(type)) return checked({ ...NOTHING.marker, datePicture: format });
  if (type === 'LIST') return { ...NOTHING, separator: format };
  if (type === 'BOOLEAN') {
    const words = format.split('/');
    return words.length === 2 ? { ...NOTHING, words: [words[0] ?? '', words[1] ?? ''] } : undefined;
  }
  if (type === 'STRING') return checked(parseMarkerFormat(`|${format}`));
  return checked(parseMarkerFormat(`|${type.toLowerCase()}:${format}`));
}

function currencyFormat(format: string): FieldFormat | undefined {
  const [, currency, picture] = CURRENCY.exec(format) ?? [];
  const numberPicture = currency === undefined ? format : picture;
  return checked({
    ...NOTHING.marker,
    ...(currency === undefined ? {} : { currency }),
    ...(numberPicture === undefined ? {} : { numberPicture }),
  });
}

function checked(marker: MarkerFormat): FieldFormat | undefined {
  const { numberPicture, datePicture, ignored } = marker;
  const isWrong =
    ignored.length > 0 ||
    (numberPicture !== undefined && parseNumberPicture(numberPicture) === undefined) ||
    (datePicture !== undefined && parseDatePicture(datePicture) === undefined);
  return isWrong ? undefined : { marker };
}
