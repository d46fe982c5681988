import * as z from 'zod';
import type { PlatformConfig } from '../../../shared/config/index.ts';
import { type PageLimits, pageQuery } from '../../../shared/http/paging.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import type { ListCall } from '../queries/list-call.ts';

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

/** The parameters that choose a page of records. */
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

/** The call of a list that its parameters ask for. */
export function listCall(query: z.output<ReturnType<typeof listQuery>>): ListCall {
  const { page, size, cursor, count, deleted, consistent, explain } = query;
  const parameters = query as ListCall['parameters'];
  return { page, size, cursor, count, deleted, consistent, explain, parameters };
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
      sort: names('Order, such as -dueDate,name; default: oldest record first.'),
      expand: names(
        'References to show as the records they point to; in CSV as columns such as customer.name.',
      ),
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
    dryRun: flag(
      'Says what the import would do and stores nothing; the result of a job has exact: false when it had to forget what may matter.',
    ),
  }),
);

/** Paging alone. */
export function pageOnly({ web }: Pick<PlatformConfig, 'web'>) {
  return z.strictObject(pageQuery(web));
}
