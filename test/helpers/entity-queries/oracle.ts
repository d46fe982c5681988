/** A record as the oracle knows it. */
export type OracleRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** A filter in the form of the `filter` parameter. */
export type OracleFilter = Readonly<Record<string, unknown>>;

/** Every Vietnamese letter with its marks, by the letter without them. */
export const VIETNAMESE: Readonly<Record<string, string>> = {
  a: 'àáảãạăằắẳẵặâầấẩẫậ',
  d: 'đ',
  e: 'èéẻẽẹêềếểễệ',
  i: 'ìíỉĩị',
  o: 'òóỏõọôồốổỗộơờớởỡợ',
  u: 'ùúủũụưừứửữự',
  y: 'ỳýỷỹỵ',
};

const BASES = new Map(
  Object.entries(VIETNAMESE).flatMap(([base, letters]) =>
    [...letters].map((letter): [string, string] => [letter, base]),
  ),
);

/** A text without case and marks, by a table of letters. */
function plain(text: string): string {
  const letters = [...text.normalize('NFC')].map((letter) => {
    const lower = letter.toLocaleLowerCase('vi');
    return BASES.get(lower) ?? lower;
  });
  return letters.join('').split(/\s+/).filter(Boolean).join(' ');
}

type Kind = 'text' | 'number' | 'decimal' | 'date' | 'instant' | 'flag' | 'texts';

/** Fields of the entity under test and what they hold. */
const KINDS: Readonly<Record<string, Kind>> = {
  name: 'text',
  city: 'text',
  status: 'text',
  amount: 'number',
  priority: 'number',
  price: 'decimal',
  active: 'flag',
  dueDate: 'date',
  seenAt: 'instant',
  tags: 'texts',
};

/** Compares two values of a field: by code points, by size, by time. */
function order(kind: Kind, one: unknown, other: unknown): number {
  if (kind === 'number') return Number(one) - Number(other);
  if (kind === 'flag') return Number(one) - Number(other);
  if (kind === 'instant') return Date.parse(String(one)) - Date.parse(String(other));
  if (kind === 'decimal') {
    const difference = scaled(String(one)) - scaled(String(other));
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  const a = Array.from(plain(String(one)), (letter) => letter.codePointAt(0) ?? 0);
  const b = Array.from(plain(String(other)), (letter) => letter.codePointAt(0) ?? 0);
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? -1) - (b[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A decimal times 10^20. */
function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace(/^[-+]/, '').split('.');
  const digits = BigInt(whole + fraction.padEnd(20, '0'));
  return text.startsWith('-') ? -digits : digits;
}

const isSame = (kind: Kind, one: unknown, other: unknown): boolean =>
  kind === 'text' || kind === 'texts' ? one === other : order(kind, one, other) === 0;

/** Whether a record meets a filter. */
export function fits(record: OracleRecord, filter: OracleFilter): boolean {
  return Object.entries(filter).every(([name, operand]) => {
    if (name === 'and') return (operand as OracleFilter[]).every((part) => fits(record, part));
    if (name === 'or') return (operand as OracleFilter[]).some((part) => fits(record, part));
    if (name === 'not') return !fits(record, operand as OracleFilter);
    return Object.entries(operand as object).every(([op, value]) => test(record, name, op, value));
  });
}

function test(record: OracleRecord, field: string, op: string, operand: unknown): boolean {
  const kind = KINDS[field] ?? 'text';
  const stored = record[field];
  const values: unknown[] = Array.isArray(stored) ? stored : stored === undefined ? [] : [stored];
  const some = (check: (value: unknown) => boolean): boolean => values.some(check);
  const all = (Array.isArray(operand) ? operand : [operand]) as unknown[];
  switch (op) {
    case 'eq':
    case 'in':
      return some((value) => all.some((each) => isSame(kind, value, each)));
    case 'ne':
    case 'nin':
      return !some((value) => all.some((each) => isSame(kind, value, each)));
    case 'gt':
      return some((value) => order(kind, value, operand) > 0);
    case 'gte':
      return some((value) => order(kind, value, operand) >= 0);
    case 'lt':
      return some((value) => order(kind, value, operand) < 0);
    case 'lte':
      return some((value) => order(kind, value, operand) <= 0);
    case 'between':
      return some((value) => order(kind, value, all[0]) >= 0 && order(kind, value, all[1]) <= 0);
    case 'startsWith':
      return some((value) => plain(String(value)).startsWith(plain(String(operand))));
    case 'endsWith':
      return some((value) => plain(String(value)).endsWith(plain(String(operand))));
    case 'contains':
      return some((value) => plain(String(value)).includes(plain(String(operand))));
    case 'eqi':
      return some((value) => plain(String(value)) === plain(String(operand)));
    case 'null':
      return (values.length === 0) === operand;
    case 'exists':
      return values.length > 0 === operand;
    default:
      throw new Error(`The oracle knows no ${op}`);
  }
}

/** What lies between blanks, signs and pictures. */
const wordsOf = (text: string): string[] =>
  plain(text)
    .split(/[\s.,;:!?()'"😀-]+/u)
    .filter(Boolean);

/** Whether every word of `q` begins a word of the name. */
export function findsWords(record: OracleRecord, q: string): boolean {
  const words = wordsOf(String(record.name ?? ''));
  const wanted = wordsOf(q);
  return wanted.every((word) => words.some((each) => each.startsWith(word)));
}

/** Sorts records as `-dueDate,name` says: missing values first, ids break ties in the direction of the first field. */
export function sortBy(records: readonly OracleRecord[], sort: string | undefined): OracleRecord[] {
  const keys = (sort ?? '-createdAt').split(',').map((text) => ({
    field: text.replace(/^-/, ''),
    sign: text.startsWith('-') ? -1 : 1,
  }));
  const byId = (one: OracleRecord, other: OracleRecord): number => (one.id < other.id ? -1 : 1);
  return [...records].sort((one, other) => {
    for (const { field, sign } of keys) {
      const difference =
        field === 'createdAt' || field === 'id' ? byId(one, other) : inField(field, one, other);
      if (difference !== 0) return difference * sign;
    }
    return byId(one, other) * (keys[0]?.sign ?? 1);
  });
}

/** Compares two records by a field; one without a value comes first. */
function inField(field: string, one: OracleRecord, other: OracleRecord): number {
  const a = one[field];
  const b = other[field];
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return order(KINDS[field] ?? 'text', a, b);
}
