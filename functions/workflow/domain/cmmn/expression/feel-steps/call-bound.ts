import {
  anythingOf,
  either,
  elementOf,
  innerOf,
  listOf,
  type Shape,
  SMALL,
  VALUE_SIZE,
} from './shape.ts';

/** Bounds of a function call: the size of its result and its steps. */
interface CallBound {
  readonly result: Shape;
  readonly steps: number;
}

type Bound = (args: readonly Shape[]) => Shape;

const totalOf = (args: readonly Shape[]): number => args.reduce((sum, { size }) => sum + size, 64);

const small: Bound = () => SMALL;
/** Quotes that are escaped take two characters, capitals of some letters three. */
const text: Bound = (args) => ({ ...SMALL, size: 3 * totalOf(args) });
const joined: Bound = ([list = SMALL, delimiter = SMALL]) => ({
  ...SMALL,
  size: 3 * list.size + list.count * delimiter.size,
});
/** The elements of the lists, and the values that are not lists. */
const elements: Bound = (args) => ({
  ...listOf(args.map(elementOf)),
  count: args.reduce((sum, { count }) => sum + count, 0),
  size: totalOf(args),
});
/** The list with other values in it, which may be lists themselves. */
const extended: Bound = ([list = SMALL, ...values]) => elements([list, listOf(values)]);
const sameList: Bound = ([list = SMALL]) => list;
const oneOf: Bound = (args) =>
  args.reduce<Shape>((found, arg) => either(either(found, arg), innerOf(arg)) ?? found, SMALL);
const parts: Bound = (args) => anythingOf(totalOf(args));
const entries: Bound = (args) => anythingOf(5 * totalOf(args));

const named = (bound: Bound, ...names: readonly string[]): [string, Bound][] =>
  names.map((name) => [name, bound]);

/** Functions of FEEL (DMN 1.3, 10.3.4) whose steps grow with the size of what they are given. */
const LINEAR: ReadonlyMap<string, Bound> = new Map([
  ...named(small, 'count', 'sum', 'mean', 'product', 'median', 'stddev', 'all', 'any', 'not', 'is'),
  ...named(small, 'string length', 'contains', 'starts with', 'ends with', 'list contains'),
  ...named(small, 'number', 'decimal', 'floor', 'ceiling', 'abs', 'modulo', 'sqrt', 'log', 'exp'),
  ...named(small, 'odd', 'even', 'round up', 'round down', 'round half up', 'round half down'),
  ...named(small, 'date', 'time', 'date and time', 'duration', 'years and months duration'),
  ...named(small, 'now', 'today', 'day of year', 'day of week', 'month of year', 'week of year'),
  ...named(small, 'before', 'after', 'meets', 'met by', 'overlaps', 'includes'),
  ...named(text, 'string', 'upper case', 'lower case'),
  ...named(text, 'substring', 'substring before', 'substring after'),
  ...named(joined, 'string join'),
  ...named(elements, 'concatenate'),
  ...named(extended, 'append', 'insert before'),
  ...named(sameList, 'sublist', 'remove', 'reverse'),
  ...named(oneOf, 'min', 'max', 'get value'),
  ...named(parts, 'mode', 'index of', 'flatten', 'context merge', 'context put'),
  ...named(entries, 'get entries', 'context'),
]);

/** The same for functions that compare every element with every other one. */
const QUADRATIC: ReadonlyMap<string, Bound> = new Map(named(elements, 'union', 'distinct values'));
/** Functions that call the function they are given, or whose result is not bounded here. */
const OTHERS = [
  'sort',
  'list replace',
  'finishes',
  'finished by',
  'during',
  'starts',
  'started by',
];

/** Functions that hand a pattern to the regular expressions of the language below, which can run for ever. */
export const PATTERN_FUNCTIONS: ReadonlySet<string> = new Set([
  'matches',
  'replace',
  'split',
  'extract',
]);

/** Whether the name means a function when it means no value. */
export const isFunctionName = (name: string): boolean =>
  LINEAR.has(name) || QUADRATIC.has(name) || OTHERS.includes(name);

/** Bounds of a call of the function; without a name, those of the most expensive function. */
export function callBound(name: string | undefined, args: readonly Shape[]): CallBound {
  const total = totalOf(args);
  const isPlain = name !== undefined && !args.some(({ isCallable }) => isCallable);
  const linear = isPlain ? LINEAR.get(name) : undefined;
  const values = total / VALUE_SIZE;
  if (linear) return { result: linear(args), steps: values };
  const quadratic = isPlain ? QUADRATIC.get(name) : undefined;
  if (quadratic) return { result: quadratic(args), steps: values * (1 + quadratic(args).count) };
  return { result: anythingOf(total * total, true), steps: total * total };
}
