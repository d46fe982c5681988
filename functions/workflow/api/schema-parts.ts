import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { isVariables, type Variables } from '../domain/cmmn/basics/json.ts';

/** What keys of the table are built from has at most 255 bytes. */
const isKeyText = (text: string): boolean => Buffer.byteLength(text) <= 255;
export const keyText = (meaning: string) =>
  z
    .string()
    .min(1)
    .max(255)
    .refine(isKeyText, 'must have at most 255 bytes in UTF-8')
    .describe(meaning);
export const tenantCode = lazy(() =>
  keyText('Tenant to work in, for callers without one of their own.').optional(),
);
export const instant = lazy(() => z.iso.datetime({ precision: 3 }));
export const variables = (meaning: string) =>
  z
    .record(z.string().min(1), z.unknown())
    .pipe(z.custom<Variables>(isVariables, 'must be JSON that is nested at most 100 deep'))
    .describe(meaning);
export const someVariables = lazy(() =>
  variables('Values by name, set before the action.').optional(),
);
export const transientVariables = lazy(() =>
  variables('Values that the action sees and that are not kept.').optional(),
);
/** Lists count nothing unless they are asked to, on their first page. */
export const count = lazy(() =>
  z
    .enum(['auto', 'none'])
    .optional()
    .describe(
      'auto: totals up to 1 000, on the first page; none, which is the default: no totals.',
    ),
);
export const isCounted = ({
  count: asked,
  cursor,
}: {
  readonly count?: 'auto' | 'none' | undefined;
  readonly cursor?: string | undefined;
}): boolean => asked === 'auto' && cursor === undefined;

/** How a form was decided. */
export const outcome = (meaning: string) => z.string().min(1).max(255).optional().describe(meaning);

/** A body that may be left out, as if it were an empty object. */
export const optionalBody = <Schema extends z.ZodObject>(schema: Schema) =>
  schema.prefault({} as never);
