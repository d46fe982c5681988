import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseWith } from '../../../../shared/http/parse.ts';

describe('a body that breaks rules', () => {
  it('tells a missing field from one of the wrong type', () => {
    const schema = z.strictObject({ name: z.string(), value: z.string() });

    expect(() => parseWith(schema, { name: 7 }, 'body')).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        errors: [
          expect.objectContaining({ pointer: '/name', code: 'INVALID_TYPE' }),
          expect.objectContaining({ pointer: '/value', code: 'REQUIRED' }),
        ],
      }),
    );
  });
});
