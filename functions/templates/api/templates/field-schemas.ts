import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { SOURCE_TYPES } from '../../domain/fields/field.ts';
import { DATA_TYPES } from '../../domain/formats/data-type.ts';

/** Declarations of merge fields. */
export const MAX_FIELDS_BODY_BYTES = 1_048_576;

const readOnly = lazy(() => z.unknown().optional().meta({ readOnly: true }));

const fieldMembers = lazy(() => ({
  name: z.string().min(1).max(100).describe('Name of the field, in any case.'),
  label: z.string().max(255).nullish(),
  sourceRef: z.string().max(200).nullish().describe('Where the value is; see the source.'),
  expression: z.string().max(2_000).nullish().describe('With the source COMPUTED.'),
  format: z.string().max(200).nullish(),
  required: z.boolean().optional(),
  defaultValue: z
    .union([z.string().max(10_000), z.number(), z.boolean()])
    .nullish()
    .describe('Shown when there is no value.'),
  lockedInOutput: z.boolean().optional().describe('Locked in outputs of TYPE_1.'),
}));

const SOURCES =
  'ENTITY: of the request or the record, by path; SYSTEM: setting:<name>, user.*, tenant.* or app.*; COMPUTED: by an expression; BUILTIN: a builtin merge field. API is refused.';

/** A declaration as it is sent: API and HTML are understood, and refused as such. */
const declaration = lazy(() =>
  z.strictObject({
    ...fieldMembers(),
    sourceType: z.enum([...SOURCE_TYPES, 'API']).describe(SOURCES),
    dataType: z.enum([...DATA_TYPES, 'HTML']).default('STRING'),
    ...{ bound: readOnly(), occurrences: readOnly() },
  }),
);
/** Declarations of merge fields. */
export const declarations = lazy(() => z.array(declaration()).max(1_000));
