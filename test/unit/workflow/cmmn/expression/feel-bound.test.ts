import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ExpressionError,
  ExpressionSyntaxError,
} from '../../../../../functions/workflow/domain/cmmn/expression/expression-error.ts';
import {
  evaluateFeel,
  parseFeel,
  satisfiesUnaryTest,
} from '../../../../../functions/workflow/domain/cmmn/expression/feel.ts';
import { countSteps } from '../../../../helpers/cmmn/count-steps.ts';
import { aFeelScope, aRandomFeel } from '../../../../helpers/cmmn/random-feel.ts';

const AT = '2026-01-05T09:00:00.000Z';
const INTERPRETER = /\/feelin\//;
/** Blocks of the interpreter's code that run for one step, at most. */
const BLOCKS = 25;
/** Blocks that run to make something to run of a text. */
const stepsToRead = (source: string): number => 500 + 40 * source.length;

type Context = Parameters<typeof evaluateFeel>[1];

const evaluate = (source: string, variables: Context['variables']): unknown =>
  evaluateFeel(parseFeel(source), { variables, at: AT });

const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index);

describe('the steps of a FEEL expression', () => {
  it('are never more than was said before', async () => {
    let evaluated = 0;
    await fc.assert(
      fc.asyncProperty(aRandomFeel, aFeelScope, async (source, variables) => {
        let bound = 0;
        const spend = (steps: number): void => {
          bound = steps;
        };
        const steps = await countSteps(() => {
          try {
            evaluateFeel(parseFeel(source), { variables, at: AT, spend });
          } catch (error) {
            const isRefusal =
              error instanceof ExpressionError || error instanceof ExpressionSyntaxError;
            if (!isRefusal) throw error;
          }
        }, INTERPRETER);

        if (bound > 0) evaluated++;
        expect(steps).toBeLessThanOrEqual(BLOCKS * bound + stepsToRead(source));
      }),
      { numRuns: 80 },
    );
    expect(evaluated).toBeGreaterThan(20);
  });

  it.each([
    ['a filter within a filter over a long list', 'l[item > count(l[item > 3])]'],
    ['an iteration within an iteration', 'for x in l return for y in l return x + y'],
    [
      'everything that a list of lists holds',
      '{a: for x in l return l, b: flatten(a), c: b[item > 3]}',
    ],
    ['a range under a name', '{r: [1..100000000], x: for i in r return i}'],
    [
      'lists that double',
      `{a0: l, ${numbers(40)
        .map((n) => `a${n + 1}: [a${n}, a${n}]`)
        .join(', ')}}`,
    ],
    [
      'texts that double',
      `{a0: "text", ${numbers(40)
        .map((n) => `a${n + 1}: a${n} + a${n}`)
        .join(', ')}}`,
    ],
    ['texts that are escaped again and again', `${'string(['.repeat(25)}"\\""${'])'.repeat(25)}`],
    ['a function under another name', '{f: distinct values, x: f(l)}'],
  ])('are too many for %s', (_, source) => {
    expect(() => evaluate(source, { l: numbers(2_000) })).toThrow(/more than 2000000 steps/);
  });

  it.each([
    ['a filter over a long list', 'count(l[item >= 10000])', 10_000],
    ['an iteration over a long list', 'sum(for x in l return x * 2) / 19999', 20_000],
    ['a filter within a filter over a short list', 'count(s[item < count(s[item > 50])])', 49],
    ['what a long list holds', 'list contains(l, 19999)', true],
    ['paths into lists of contexts', 'count(o[count(tags) = 2].name)', 2_000],
    ['functions over parts of a list', 'max(sublist(concatenate(l, s), 10, 20))', 28],
  ])('are few enough for %s', (_, source, value) => {
    const o = numbers(2_000).map((n) => ({ name: `name ${n}`, tags: ['a', 'b'] }));

    expect(evaluate(source, { l: numbers(20_000), s: numbers(100), o })).toBe(value);
  });

  it('count for unary tests too', () => {
    const context = { variables: { l: numbers(2_000) }, at: AT };

    expect(satisfiesUnaryTest('l[item > 1998]', 1999, context)).toBe(true);
    expect(() => satisfiesUnaryTest('l[item > count(l[item > 3])]', 1, context)).toThrow(
      ExpressionError,
    );
  });

  it('cannot depend on earlier results of the same iteration, which could double with each', () => {
    expect(() => parseFeel('for x in l return concatenate(partial, partial)')).toThrow(
      /earlier results/,
    );
    expect(evaluate('partial + 1', { partial: 1 })).toBe(2);
  });
});
