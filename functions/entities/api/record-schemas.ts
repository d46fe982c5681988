import * as z from 'zod';
import type { PlatformConfig } from '../../../shared/config/index.ts';
import { filePart } from '../../../shared/http/form.ts';
import { type PageLimits, pageQuery, pageSchema } from '../../../shared/http/paging.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';

const entityCode = lazy(() =>
  z.string().min(1).max(100).describe('Code of the entity, or its apiPath.'),
);
const id = lazy(() => z.string().min(1).max(100).describe('Id of the record.'));
const instant = lazy(() => z.iso.datetime({ precision: 3 }));

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

/** A query parameter that may be repeated. */
const texts = lazy(() => z.union([z.string(), z.array(z.string()).min(1)]));
/** Query parameters named after fields. */
const filters = lazy(() =>
  texts().meta({
    title: 'filters',
    description:
      'Filters by field, as a JSON object: `{"status": "open", "amount[gte]": "10"}` is sent as `status=open&amount[gte]=10`.',
  }),
);
const flag = (meaning: string) =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe(meaning);

const names = (meaning: string) => texts().optional().describe(meaning);
const filterMembers = lazy(() => ({
  q: z.string().max(200).optional().describe('Words that must all begin words of the record.'),
  filter: z
    .string()
    .max(1_000)
    .optional()
    .describe('Groups as JSON: {"or":[{"status":"open"},{"amount":{"gte":10}}]}.'),
}));
/** Pages of records can be read from the end, so higher page numbers are allowed. */
const MAX_PAGE = 100_000_000;

/** `field=value` and `field[op]=value`, besides the declared parameters. */
function recordPaging(limits: PageLimits, maxPage?: number) {
  const paging = pageQuery(limits, maxPage);
  const cursor = paging.cursor.describe(
    'nextCursor or prevCursor of another page; instead of page.',
  );
  return { ...paging, cursor };
}

export function listQuery({ web }: Pick<PlatformConfig, 'web'>) {
  return z
    .object({
      ...recordPaging(web, MAX_PAGE),
      ...filterMembers(),
      sort: names('Order, such as -dueDate,name; default -createdAt.'),
      fields: names('Fields to show.'),
      expand: names('References to show as the records they point to.'),
      count: z.enum(['auto', 'exact', 'none']).optional().describe('How totals are counted.'),
      deleted: z.enum(['exclude', 'only']).optional().describe('only: records in the trash.'),
      consistent: flag('Reads what was written a moment ago, at twice the price.'),
      explain: flag('Shows the plan and what it read.'),
    })
    .catchall(filters());
}

export function trashQuery({ web }: Pick<PlatformConfig, 'web'>) {
  return z
    .object({
      ...recordPaging(web),
      ...filterMembers(),
      fields: names('Fields to show.'),
      expand: names('References to show as the records they point to.'),
    })
    .catchall(filters());
}

export const recordQuery = lazy(() =>
  z.strictObject({
    fields: names('Fields to show.'),
    expand: names('References to show as the records they point to.'),
    deleted: flag('Also finds a record in the trash.'),
  }),
);
export const countQuery = lazy(() =>
  z.object({ ...filterMembers(), count: z.enum(['auto', 'exact']).optional() }).catchall(filters()),
);
export const facetQuery = lazy(() =>
  z
    .object({ ...filterMembers(), fields: z.string().min(1).describe('Fields to count by.') })
    .catchall(filters()),
);
export const aggregateQuery = lazy(() =>
  z
    .object({
      ...filterMembers(),
      groupBy: names('Fields to group by, such as status,createdAt:month.'),
      sum: names('Fields to add up.'),
      avg: names('Fields to average.'),
      min: names('Fields whose lowest value is shown.'),
      max: names('Fields whose highest value is shown.'),
      count: z
        .enum(['auto', 'exact'])
        .optional()
        .describe('exact: reads up to 50 000 records instead of 2 000.'),
    })
    .catchall(filters()),
);
export const updateQuery = lazy(() =>
  z.strictObject({
    replace: flag('Fields that are not sent are cleared.'),
  }),
);
export const deleteRecordQuery = lazy(() =>
  z.strictObject({
    purge: flag('Deletes for good.'),
    cascade: flag('Also deletes all descendants of the record.'),
  }),
);
export const treeQuery = lazy(() =>
  z.strictObject({
    root: z.uuid().optional().describe('Only descendants of this record.'),
    depth: z
      .string()
      .regex(/^(?:[1-9]\d?|100)$/, 'must be 1 to 100')
      .transform(Number)
      .optional()
      .describe('Levels to show.'),
    fields: names('Fields to show beside the label.'),
    q: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Only nodes whose label holds this, and their ancestors.'),
    maxNodes: z
      .string()
      .regex(/^(?:[1-9]\d{0,3}|10000)$/, 'must be 1 to 10000')
      .transform(Number)
      .default(10_000),
  }),
);
export const exportQuery = lazy(() =>
  z
    .object({
      ...filterMembers(),
      format: z.enum(['csv', 'json', 'ndjson']).default('json'),
      fields: names('Fields to export.'),
    })
    .catchall(filters()),
);
export const importQuery = lazy(() =>
  z.strictObject({
    format: z.enum(['csv', 'json', 'ndjson']).optional().describe('Left out: by the content type.'),
    mode: z.enum(['insert', 'upsert']).default('insert'),
    key: z
      .string()
      .max(64)
      .optional()
      .describe('Unique field that an upsert finds records by; default id.'),
    dryRun: flag('Checks every row and stores nothing.'),
  }),
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

export const bulkBody = lazy(() =>
  z.strictObject({
    operations: z
      .array(
        z
          .strictObject({
            op: z.enum(['create', 'update', 'delete', 'restore']),
            id: z.uuid().optional().describe('Needed by all but create.'),
            version: z.int().min(1).optional().describe('The version that was read.'),
            data: recordBody().optional(),
          })
          .superRefine(({ op, id }, context) => {
            if (op === 'create' || id !== undefined) return;
            const message = `is required by ${op}`;
            context.addIssue({
              code: 'custom',
              path: ['id'],
              message,
              params: { code: 'REQUIRED' },
            });
          }),
      )
      .min(1)
      .max(500),
    atomic: z
      .boolean()
      .default(false)
      .describe('All of them or none; only what fits one transaction.'),
  }),
);

/** Largest request body of the function. */
export const MAX_IMPORT_BYTES = 4_500_000;
export const importForm = lazy(() =>
  z.strictObject({ file: filePart({ maxBytes: MAX_IMPORT_BYTES }) }),
);
export type ImportForm = z.output<ReturnType<typeof importForm>>;
export const importBody = lazy(() => z.union([z.instanceof(Uint8Array), z.unknown()]));

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
export const bulkResult = lazy(() =>
  z
    .object({
      results: z.array(
        z.object({
          index: z.int(),
          status: z.int(),
          id: z.string().optional(),
          version: z.int().optional(),
          jobId: z.string().optional().describe('The job that deletes a large subtree.'),
          error: z.looseObject({ code: z.string(), detail: z.string() }).optional(),
        }),
      ),
    })
    .meta({ id: 'EntityBulkResult' }),
);
export const importResult = lazy(() =>
  z
    .object({
      created: z.int(),
      updated: z.int(),
      failed: z.int(),
      errors: z.array(
        z.object({
          row: z.int(),
          field: z.string().optional(),
          code: z.string(),
          detail: z.string().optional(),
        }),
      ),
    })
    .meta({ id: 'EntityImportResult' }),
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

/** Paging alone. */
export function pageOnly({ web }: Pick<PlatformConfig, 'web'>) {
  return z.strictObject(pageQuery(web));
}

/** A file with one record on each line. */
export const lines = lazy(() => z.unknown().describe('One record on each line.'));

/** Fields of an exported record that an import needs. */
export const exported = lazy(() => z.array(z.looseObject({ id: z.string() })));
