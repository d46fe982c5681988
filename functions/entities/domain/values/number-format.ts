/** A format of numbers such as `INV-{yyyy}-{0000}`, at a day. */
export interface NumberSeries {
  /** What all numbers of the series have in common: `INV-2026-{0}`. */
  readonly name: string;
  numberOf(count: number): string;
}

const PART = /\{([^{}]*)\}/g;
const COUNT = /^0{1,12}$/;
const MAX_LENGTH = 100;
/** Parts that a part of a date needs beside it: with `{mm}` alone, the numbers of a month would come again next year. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  yyyy: [],
  yy: [],
  mm: ['yyyy', 'yy'],
  dd: ['mm'],
};

/** Why a text is no format of numbers; `undefined` when it is one. */
export function formatError(format: unknown): string | undefined {
  if (typeof format !== 'string') return 'must be a text such as INV-{yyyy}-{0000}';
  if (format.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  if (!format.isWellFormed() || /[\p{Cc}{}]/u.test(format.replace(PART, ''))) {
    return 'may have braces around {yyyy}, {yy}, {mm}, {dd} and {0000} only';
  }
  const parts = [...format.matchAll(PART)].map(([, name = '']) => name);
  const counts = parts.filter((name) => COUNT.test(name));
  const unknown = parts.find((name) => !COUNT.test(name) && !Object.hasOwn(NEEDS, name));
  if (unknown !== undefined) {
    return `has {${unknown}}; known are {yyyy}, {yy}, {mm}, {dd} and {0000}, as many zeros as digits at least`;
  }
  if (counts.length !== 1) return 'must have one number, such as {0000}';
  const lonely = parts.find((name) => {
    const needs = NEEDS[name] ?? [];
    return needs.length > 0 && !needs.some((other) => parts.includes(other));
  });
  return lonely && `has {${lonely}} without {${NEEDS[lonely]?.join('} or {')}}`;
}

/** The series of a valid format at a day (`2026-03-01`). */
export function seriesOf(format: string, day: string): NumberSeries {
  const [yyyy = '', mm = '', dd = ''] = day.split('-');
  const dated: Readonly<Record<string, string>> = { yyyy, yy: yyyy.slice(-2), mm, dd };
  const render = (count: (zeros: string) => string): string =>
    format.replace(PART, (_, name: string) => dated[name] ?? count(name));
  return {
    name: render(() => '{0}'),
    numberOf: (count) => render((zeros) => String(count).padStart(zeros.length, '0')),
  };
}

/** A character of a number, `DIGIT` for any digit, or `DIGITS` for any number of them. */
type Element = string | symbol;
const DIGIT = Symbol('digit');
const DIGITS = Symbol('digits');

/** Whether formats count the same numbers, with as many zeros or others. */
export const isSameSeries = (one: string, other: string): boolean =>
  withoutZeros(one) === withoutZeros(other);
const withoutZeros = (format: string): string => format.replace(/\{0+\}/, '{0}');

/** Whether a number by a new format may be one that was given by the former, which count apart from each other. */
export const mayRepeat = (before: string, after: string): boolean =>
  !isSameSeries(before, after) && mayCoincide(before, after);

/** Whether two valid formats may write the same number, at whatever day and count. */
function mayCoincide(one: string, other: string): boolean {
  const [a, b] = [elementsOf(one), elementsOf(other)];
  const seen = new Set<string>();
  const meet = (i: number, j: number): boolean => {
    const place = `${i},${j}`;
    if (seen.has(place)) return false;
    seen.add(place);
    if (i === a.length && j === b.length) return true;
    return stepsOf(a[i], b[j]).some(([x, y]) => meet(i + x, j + y));
  };
  return meet(0, 0);
}

/** The ways in which two formats may write the same next character: how far each of them moves on. */
function stepsOf(one: Element | undefined, other: Element | undefined): [number, number][] {
  const steps: [number, number][] = [];
  if (one === DIGITS) steps.push([1, 0]);
  if (other === DIGITS) steps.push([0, 1]);
  if (one !== undefined && other !== undefined && isAlike(one, other)) {
    steps.push([one === DIGITS ? 0 : 1, other === DIGITS ? 0 : 1]);
  }
  return steps;
}

const isDigit = (element: Element): boolean => typeof element === 'symbol' || /[0-9]/.test(element);

const isAlike = (one: Element, other: Element): boolean =>
  one === other ||
  (isDigit(one) && isDigit(other) && (typeof one === 'symbol' || typeof other === 'symbol'));

function elementsOf(format: string): Element[] {
  return format.split(/(\{[^{}]*\})/).flatMap((part): Element[] => {
    if (!part.startsWith('{')) return [...part];
    const digits = Array.from({ length: part.length - 2 }, () => DIGIT);
    return part.startsWith('{0') ? [...digits, DIGITS] : digits;
  });
}
