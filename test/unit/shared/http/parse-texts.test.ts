import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseWith } from '../../../../shared/http/parse.ts';
import type { Problem } from '../../../../shared/problems/problem.ts';

function detailOf(schema: z.ZodType, value: unknown): string | undefined {
  try {
    parseWith(schema, value, 'body');
  } catch (error) {
    return (error as Problem).errors[0]?.detail;
  }
  return undefined;
}

describe('a broken rule is told in the words of the API', () => {
  it.each([
    [z.string(), 7, 'must be text, not a number'],
    [z.string(), null, 'must be text, not null'],
    [z.number(), 'x', 'must be a number, not text'],
    [z.int(), 1.5, 'must be a whole number, not a number'],
    [z.boolean(), [], 'must be true or false, not a list'],
    [z.array(z.string()), {}, 'must be a list, not an object'],
    [z.strictObject({}), [], 'must be an object, not a list'],
    [z.strictObject({}), undefined, 'is required'],
    [z.number().max(200), 201, 'must be at most 200'],
    [z.number().min(1), 0, 'must be at least 1'],
    [z.number().lt(5), 5, 'must be less than 5'],
    [z.number().gt(5), 5, 'must be greater than 5'],
    [z.number().multipleOf(3), 4, 'must be a multiple of 3'],
    [z.string().max(1), 'ab', 'must have at most 1 character'],
    [z.string().min(2), 'a', 'must have at least 2 characters'],
    [z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 items'],
    [z.enum(['A', 'B', 'C']), 'D', 'must be "A", "B" or "C"'],
    [z.literal(1), 2, 'must be 1'],
    [z.iso.date(), 'x', 'must match format "date", such as 2026-03-01'],
    [z.iso.datetime(), 'x', 'must match format "date-time", such as 2026-03-01T09:30:00Z'],
    [z.uuid(), 'x', 'must match format "uuid", such as 019caf0a-6c40-7d3e-9a51-3f1f4b7f2a10'],
    [z.url(), 'x', 'must match format "uri", such as https://example.com/path'],
    [z.string().regex(/^a+$/), 'b', 'must match the pattern /^a+$/'],
    [z.string().regex(/^a+$/, 'must hold a only'), 'b', 'must hold a only'],
    [z.string().startsWith('a'), 'b', 'must begin with "a"'],
    [z.union([z.string(), z.number()]), true, 'has none of the accepted forms'],
    [z.string().refine(() => false), 'b', 'is not valid'],
  ])('%#: %3$s', (schema, value, detail) => {
    expect(detailOf(schema, value)).toBe(detail);
  });
});

describe('an unknown member', () => {
  const line = z.strictObject({ quantity: z.int(), price: z.number() });
  const schema = z
    .strictObject({
      name: z.string().optional(),
      lines: z.array(line).optional(),
      by: z.union([z.strictObject({ user: z.string() }), z.strictObject({ group: z.string() })]),
      prices: z.record(z.string(), line).optional(),
    })
    .partial();

  it.each([
    [{ nmae: 'x' }, 'is unknown; did you mean "name"?'],
    [{ Name: 'x' }, 'is unknown; did you mean "name"?'],
    [{ colour: 'x' }, 'is unknown'],
    [{ lines: [{ quantity: 1, price: 1, qantity: 1 }] }, 'is unknown; did you mean "quantity"?'],
    [{ prices: { a: { quantity: 1, price: 1, prize: 1 } } }, 'is unknown; did you mean "price"?'],
  ])('in %j is told with the nearest name, if one is near', (value, detail) => {
    expect(detailOf(schema, value)).toBe(detail);
  });

  it('is told in parameters, too', () => {
    const query = z.strictObject({ size: z.string().optional(), cursor: z.string().optional() });

    expect(() => parseWith(query, { siez: '1' }, 'parameter')).toThrow(
      'siez is unknown; did you mean "size"?',
    );
  });

  it('of another form is not told as the one that was meant', () => {
    const forms = z.union([
      z.strictObject({ ids: z.array(z.string()) }),
      z.strictObject({ filter: z.string(), cursor: z.string().optional() }),
    ]);

    expect(detailOf(forms, { ids: ['x'], cursor: 'y' })).toBe('does not go with the others');
  });

  it('may be long', () => {
    expect(detailOf(schema, { ['n'.repeat(100_000)]: 1 })).toBe('is unknown');
  });
});
