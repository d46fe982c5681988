import * as z from 'zod';
import { pageSchema } from '../../../shared/http/paging.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';

const entityCode = lazy(() =>
  z.string().min(1).max(100).describe('Code of the entity, or its apiPath.'),
);
const id = lazy(() => z.string().min(1).max(100).describe('Id of the record.'));
/** A time, as every answer writes it. */
export const instant = lazy(() => z.iso.datetime({ precision: 3 }));

export const entityParams = lazy(() => z.strictObject({ entityCode: entityCode() }));
export const recordParams = lazy(() => z.strictObject({ entityCode: entityCode(), id: id() }));
export const relationParams = lazy(() =>
  z.strictObject({
    entityCode: entityCode(),
    id: id(),
    relation: z
      .string()
      .min(1)
      .max(165)
      .describe(
        'Code of the entity that refers to the record, or its apiPath; `orders:payer`: by that field.',
      ),
  }),
);
export const recordJobParams = lazy(() =>
  z.strictObject({ entityCode: entityCode(), jobId: z.uuid() }),
);

const PARENT =
  'Id of the parent, where the entity is hierarchical; null: the record is at the top.';

/** Values by field code; system fields are ignored. */
export const recordBody = lazy(() =>
  z
    .unknown()
    .superRefine((value, context) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        context.addIssue({
          code: 'invalid_type',
          expected: 'object',
          input: value,
          message: 'must be an object',
        });
      }
    })
    .transform((value) => value as Readonly<Record<string, unknown>>)
    .meta({
      type: 'object',
      additionalProperties: true,
      description: `Values by field code. Besides: \`id\` of a new record, and \`parentId\`: ${PARENT}`,
    }),
);

const recordMembers = lazy(() => ({
  id: z.string(),
  parentId: z.string().nullable().optional().describe(PARENT),
  version: z.int().min(1),
  createdAt: instant(),
  createdBy: z.string(),
  updatedAt: instant(),
  updatedBy: z.string(),
}));
export const record = lazy(() =>
  z
    .looseObject(recordMembers())
    .describe('Field codes beside the members that every record has.')
    .meta({ id: 'EntityRecord' }),
);
export const recordPage = lazy(() =>
  pageSchema(record(), 'EntityRecordPage', {
    prevCursor: z
      .string()
      .nullable()
      .describe('Pass it as cursor to get the page before; null on the first.'),
    sort: z.array(z.string()).describe('The order, the direction before each field.'),
    complete: z
      .boolean()
      .describe('false: the work for one request was used up; go on with nextCursor.'),
    warnings: z.array(z.string()).optional(),
    explain: z.looseObject({}).optional(),
  }),
);
export const count = lazy(() =>
  z
    .object({ count: z.int().min(0), relation: z.enum(['eq', 'gte']) })
    .meta({ id: 'EntityRecordCount' }),
);
export const facets = lazy(() =>
  z
    .record(z.string(), z.array(z.object({ value: z.unknown(), count: z.int() })))
    .meta({ id: 'EntityFacets' }),
);
const texted = lazy(() => z.record(z.string(), z.string().nullable()).optional());
const valued = lazy(() => z.record(z.string(), z.unknown()).optional());
export const aggregate = lazy(() =>
  z
    .object({
      groups: z.array(
        z.object({
          by: z.record(z.string(), z.unknown()).describe('Values of the group; null: none.'),
          count: z.int().min(0),
          sum: texted().describe('Decimal text; null where no record has a value.'),
          avg: texted(),
          min: valued(),
          max: valued(),
        }),
      ),
      count: z.int().min(0).describe('Records that the figures are of.'),
      complete: z.boolean().describe('false: there are more records than one request reads.'),
    })
    .meta({ id: 'EntityAggregate' }),
);
export const formSchema = lazy(() =>
  z
    .looseObject({
      code: z.string(),
      name: z.string(),
      version: z.int(),
      schema: z.looseObject({}),
      uiSchema: z.looseObject({}),
      fields: z.array(z.looseObject({})),
      permissions: z.object({
        view: z.boolean(),
        add: z.boolean(),
        edit: z.boolean(),
        delete: z.boolean(),
      }),
    })
    .meta({ id: 'EntityFormSchema' }),
);
export const tree = lazy(() =>
  z.array(
    z.looseObject({
      id: z.string(),
      parentId: z.string().nullable(),
      level: z.int(),
      label: z.string(),
      hasChildren: z.boolean(),
      children: z.array(z.looseObject({})),
    }),
  ),
);
export const historyPage = lazy(() =>
  pageSchema(
    z.looseObject({
      version: z.int(),
      action: z.string(),
      at: instant(),
      by: z.string(),
      issuer: z
        .string()
        .nullable()
        .describe('Issuer of the token of `by`; null when none is known.'),
      changes: z.array(z.looseObject({ field: z.string() })),
    }),
    'EntityRecordHistoryPage',
  ),
);
