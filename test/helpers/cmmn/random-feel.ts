import * as fc from 'fast-check';

/** Values that `aRandomFeel` knows by these names. */
export const aFeelScope = fc.record({
  l: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 30, maxLength: 60 }),
  m: fc.array(
    fc.record({
      name: fc.string({ maxLength: 5 }),
      tags: fc.array(fc.constantFrom('a', 'b'), { maxLength: 4 }),
    }),
    { minLength: 20, maxLength: 30 },
  ),
  t: fc.string({ maxLength: 30 }),
  o: fc.record({ name: fc.string({ maxLength: 5 }), inner: fc.record({ l: fc.array(fc.nat(9)) }) }),
  n: fc.integer({ min: -3, max: 12 }),
});

const FUNCTIONS_OF_ONE = [
  'count',
  'sum',
  'min',
  'max',
  'reverse',
  'flatten',
  'distinct values',
  'string',
  'upper case',
  'get entries',
  'string length',
  'mode',
  'all',
  'not',
  'product',
];
const FUNCTIONS_OF_TWO = [
  'concatenate',
  'append',
  'union',
  'list contains',
  'index of',
  'string join',
  'remove',
  'sublist',
  'contains',
  'get value',
  'context merge',
  'sort',
];

/** FEEL over `l`, `m`, `t`, `o`, `n` and names of its own: much of it makes no sense, all of it is FEEL. */
export const aRandomFeel: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => {
  const any = tie('any');
  const pair = fc.tuple(any, any);
  return {
    any: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'feel' },
      fc.constantFrom(
        'l',
        'm',
        't',
        'o',
        'n',
        'item',
        'x',
        'a',
        'name',
        'tags',
        'o.inner.l',
        'm.name',
      ),
      fc.constantFrom('1', '3', '"text"', 'true', 'null', 'flatten', 'count'),
      pair.map(([list, test]) => `${list}[item > ${test}]`),
      pair.map(([list, test]) => `${list}[${test}]`),
      pair.map(([list, test]) => `${list}[count(tags) = ${test}]`),
      pair.map(([list, body]) => `(for x in ${list} return ${body})`),
      pair.map(([list, body]) => `(some x in ${list} satisfies ${body} = x)`),
      pair.map(([left, right]) => `{a: ${left}, name: ${right}}`),
      pair.map(([left, right]) => `{a: ${left}, b: ${right}, c: [a, b, a]}.c`),
      pair.map(([left, right]) => `[${left}, ${right}]`),
      pair.map(([left, right]) => `(${left} + ${right})`),
      pair.map(([left, right]) => `(${left} = ${right})`),
      pair.map(([left, right]) => `(if ${left} = 1 then ${right} else ${left})`),
      any.map((value) => `(${value}).name`),
      fc.tuple(fc.constantFrom(...FUNCTIONS_OF_ONE), any).map(([name, a]) => `${name}(${a})`),
      fc
        .tuple(fc.constantFrom(...FUNCTIONS_OF_TWO), pair)
        .map(([name, [a, b]]) => `${name}(${a}, ${b})`),
      fc
        .tuple(fc.constantFrom('{f: flatten, y: f', '{f: sort, y: f'), pair)
        .map(([f, [a, b]]) => `${f}(${a}, ${b})}.y`),
    ),
  };
}).any;
