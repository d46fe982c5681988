import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeJsonError, findJsonError } from '../../../../shared/problems/json-error.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('findJsonError', () => {
  it.each([
    ['{a:1}', 1],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":tru}', 5],
    ['{"a": undefined}', 6],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[,1]', 1],
    ['{"a":1]', 6],
    ["{'a':1}", 1],
    ['nope', 0],
    ['01', 1],
    ['"a\nb"', 0],
    ['"\\x"', 0],
    ['{"a":1}x', 7],
    ['1 2', 2],
    [']', 0],
    ['{1:2}', 1],
  ])('of %s is %i', (text, at) => {
    expect(findJsonError(text)).toBe(at);
  });

  it.each(['', ' ', '{', '{"a"', '{"a":', '[1', '[1,', '[[]'])('of %s is its end', (text) => {
    expect(findJsonError(text)).toBe(text.length);
  });

  it('finds none in JSON, and one in whatever else', () => {
    const mutated = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '"', ',', ':', '{', ']', 'x', '\n', '\\', '1'),
      )
      .map(([text, place, piece]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + piece + text.slice(at + (place % 2));
      });

    fc.assert(
      fc.property(mutated, (text) => {
        expect(findJsonError(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes long texts and deep nesting', () => {
    expect(findJsonError(`["${'a'.repeat(6_000_000)}", x]`)).toBe(6_000_005);
    expect(findJsonError(`["${'\\n'.repeat(20_000_000)}", x]`)).toBe(40_000_005);
    expect(findJsonError('['.repeat(1_000_000))).toBe(1_000_000);
  });
});

describe('describeJsonError', () => {
  it.each([
    ['{\n  "a": 1,\n}', 'The body is not valid JSON: unexpected "}" at line 3, column 1.'],
    ['{"a":"ế", "b":x}', 'The body is not valid JSON: unexpected "x" at line 1, column 15.'],
    ['[1, 😀]', 'The body is not valid JSON: unexpected "😀" at line 1, column 5.'],
    ['{"a":', 'The body is not valid JSON: it ends too early at line 1, column 6.'],
  ])('of %j names the place', (text, words) => {
    expect(describeJsonError(text)).toBe(words);
  });
});
