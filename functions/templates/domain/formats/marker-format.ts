import type { LetterCase } from './letter-case.ts';

/** Replacement of a value that is not a text. */
export type Media = 'image' | 'qr' | 'barcode' | 'signature';

export type Numeral = 'arabic' | 'roman' | 'ROMAN';

/** How one marker of a template shows its value. */
export interface MarkerFormat {
  readonly datePicture?: string;
  readonly numberPicture?: string;
  /** Code of ISO 4217. */
  readonly currency?: string;
  readonly isPercent?: boolean;
  /** In words; with a currency code as an amount, else as a number. */
  readonly words?: { readonly currency?: string };
  readonly numeral?: Numeral;
  readonly cases: readonly LetterCase[];
  /** Text before and after a value that is not empty. */
  readonly before: string;
  readonly after: string;
  readonly fallback?: string;
  readonly media?: { readonly kind: Media; readonly argument: string };
  /** Switches and filters that mean nothing here. */
  readonly ignored: readonly string[];
}

type Change = (argument: string) => Partial<MarkerFormat> | undefined;

const isCurrency = (text: string): boolean => /^[A-Z]{3}$/.test(text);

const inWords: Change = (argument) => {
  if (argument !== '' && !isCurrency(argument)) return undefined;
  return { words: argument === '' ? {} : { currency: argument } };
};

const media =
  (kind: Media): Change =>
  (argument) => ({ media: { kind, argument } });

const withArgument =
  (name: 'datePicture' | 'numberPicture' | 'before' | 'after' | 'fallback'): Change =>
  (argument) =>
    argument === '' ? undefined : { [name]: argument };

const letterCase =
  (value: LetterCase): Change =>
  (argument) =>
    argument === '' ? { cases: [value] } : undefined;

const FILTERS: Readonly<Record<string, Change>> = {
  upper: letterCase('upper'),
  lower: letterCase('lower'),
  firstcap: letterCase('firstCap'),
  caps: letterCase('caps'),
  title: letterCase('caps'),
  date: withArgument('datePicture'),
  number: withArgument('numberPicture'),
  currency: (argument) => (isCurrency(argument) ? { currency: argument } : undefined),
  percent: (argument) => (argument === '' ? { isPercent: true } : undefined),
  words: inWords,
  before: withArgument('before'),
  after: withArgument('after'),
  default: withArgument('fallback'),
  image: media('image'),
  qr: media('qr'),
  barcode: media('barcode'),
  signature: media('signature'),
};

const GENERAL_FORMATS: Readonly<Record<string, Partial<MarkerFormat>>> = {
  upper: { cases: ['upper'] },
  lower: { cases: ['lower'] },
  firstcap: { cases: ['firstCap'] },
  caps: { cases: ['caps'] },
  arabic: { numeral: 'arabic' },
  cardtext: { words: {} },
  dollartext: { words: { currency: 'USD' } },
  // They say from where the formatting of the characters comes, which is settled when a template is stored.
  mergeformat: {},
  charformat: {},
};

const NONE: MarkerFormat = { cases: [], before: '', after: '', ignored: [] };
const known = new Map<string, MarkerFormat>();
const MOST_KNOWN = 1_000;
/** Longer ones format nothing. */
const MAX_LENGTH = 2_000;
const MAX_SHOWN = 100;

/**
 * Reads what stands after the name of a marker: switches of Word (`\* Upper \@ "dd/MM/yyyy"`) or filters
 * (`|date:dd/MM/yyyy|upper`).
 */
export function parseMarkerFormat(source: string | null | undefined): MarkerFormat {
  const text = source?.trim() ?? '';
  if (text === '') return NONE;
  const parsed = known.get(text);
  if (parsed) return parsed;
  if (text.length > MAX_LENGTH) return { ...NONE, ignored: [text.slice(0, MAX_SHOWN)] };
  const read = text.startsWith('|') ? readFilters(text) : readSwitches(text);
  if (known.size < MOST_KNOWN) known.set(text, read);
  return read;
}

const SWITCH = /\\(\S)\s*((?:"[^"]*"|“[^”]*”|[^\s\\"“]+)?)|(\S+)/g;

function readSwitches(text: string): MarkerFormat {
  let format = NONE;
  for (const [source, name, argument = ''] of text.matchAll(SWITCH)) {
    format = joined(
      format,
      name === undefined ? undefined : changeOf(name, unquoted(argument)),
      source,
    );
  }
  return format;
}

function changeOf(name: string, argument: string): Partial<MarkerFormat> | undefined {
  switch (name) {
    case '*':
      if (/^roman$/i.test(argument)) return { numeral: argument === 'roman' ? 'roman' : 'ROMAN' };
      return entry(GENERAL_FORMATS, argument.toLowerCase());
    case '@':
      return { datePicture: argument };
    case '#':
      return { numberPicture: argument };
    case 'b':
      return { before: argument };
    case 'f':
      return { after: argument };
    // Mapped and vertical fields of address blocks: they change no value.
    case 'm':
    case 'v':
      return {};
    default:
      return undefined;
  }
}

const FILTER = /\|\s*(\p{L}*)\s*(?::\s*("[^"|]*"|“[^”|]*”|[^|]*))?/gu;

function readFilters(text: string): MarkerFormat {
  let format = NONE;
  for (const [source, name = '', argument = ''] of quotedBars(text).matchAll(FILTER)) {
    const change = entry(FILTERS, name.toLowerCase());
    format = joined(format, change?.(unquoted(argument.trim()).replaceAll(BAR, '|')), source);
  }
  return format;
}

const BAR = '\u0001';

/** A bar between quotes divides no filters. */
const quotedBars = (text: string): string =>
  text.replaceAll(/"[^"]*"|“[^”]*”/g, (quoted) => quoted.replaceAll('|', BAR));

function joined(
  format: MarkerFormat,
  change: Partial<MarkerFormat> | undefined,
  source: string,
): MarkerFormat {
  if (change === undefined)
    return { ...format, ignored: [...format.ignored, source.replaceAll(BAR, '|').trim()] };
  return { ...format, ...change, cases: [...format.cases, ...(change.cases ?? [])] };
}

const entry = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const unquoted = (text: string): string => text.replace(/^["“](.*)["”]$/s, '$1');
