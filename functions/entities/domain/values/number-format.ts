/** A format of numbers such as `INV-{yyyy}-{0000}`, at a day. */
export interface NumberSeries {
  /** What all numbers of the series have in common: `INV-2026-{0}`. */
  readonly name: string;
  numberOf(count: number): string;
}

const PART = /\{([^{}]*)\}/g;
const COUNT = /^0{1,12}$/;
const MAX_LENGTH = 100;
/** A part of a day needs those before it, so that no number comes again. */
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
