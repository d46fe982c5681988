import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { MAX_SCHEMA_BYTES } from '../domain/schema/read-document.ts';

const CODE = /^[A-Za-z][A-Za-z0-9_-]{0,49}$/;
const API_PATH = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export const code = lazy(() =>
  z
    .string()
    .regex(CODE, 'must begin with a letter and have at most 50 letters, digits, _ and -')
    .describe('Code of the entity.'),
);
export const apiPath = lazy(() =>
  z
    .string()
    .regex(
      API_PATH,
      'must begin with a letter or digit and have at most 100 letters, digits, _ and -',
    )
    .describe('Segment of the record paths and of the permission target; left out: the code.'),
);
export const entityName = lazy(() => z.string().min(1).max(200).describe('Display name.'));

/** A system field: clients may send it back; it is ignored. */
const readOnly = lazy(() => z.unknown().optional().meta({ readOnly: true }));

const someTexts = lazy(() => z.array(z.string().min(1).max(200)).min(1).max(100).optional());
const someValues = lazy(() => z.record(z.string(), z.unknown()).optional());
const policy = lazy(() =>
  z
    .strictObject({
      actions: z
        .array(z.enum(['view', 'add', 'edit', 'delete']))
        .min(1)
        .max(4),
      unless: z
        .strictObject({ groups: someTexts(), roles: someTexts() })
        .optional()
        .describe('Callers whom it does not concern.'),
      allowed: z.literal(false).optional().describe('Refuses the actions.'),
      rowFilter: someValues().describe(
        'Condition on the records, as in the parameter filter; `"$user"` is the id of the caller, `"$groups"` any group of the caller.',
      ),
      fields: z.array(z.string()).max(500).optional().describe('The only fields shown or written.'),
      presets: someValues().describe('Values of new records; `"$user"` is the id of the caller.'),
    })
    .describe('Narrows what the host allows. All policies that concern a caller hold together.')
    .meta({ id: 'RecordPolicy' }),
);

const options = lazy(() =>
  z
    .strictObject({
      shards: z
        .union([z.literal(1), z.literal(2), z.literal(4), z.literal(8), z.literal(16)], {
          error: 'must be 1, 2, 4, 8 or 16',
        })
        .optional()
        .describe('Partitions of each index, chosen when the entity is created; cannot change.'),
      events: z.enum(['none', 'ids', 'full']).optional().describe('What record events carry.'),
      onDeleteChildren: z.enum(['restrict', 'cascade']).optional(),
      history: z.boolean().optional().describe('Keeps every change field by field.'),
      requireIfMatch: z.boolean().optional().describe('A change must carry If-Match.'),
      trashRetentionDays: z.int().min(1).max(3_650).optional(),
      policies: z.array(policy()).max(50).optional(),
    })
    .describe('Choices beyond the schema.'),
);

/** Keywords of form schemas besides those of JSON Schema, for the API description. */
export const FORM_KEYWORDS = `Besides those of JSON Schema, a form schema may have these keywords.

On the schema:
- \`x-label\`: field that stands for a record
- \`x-indexes\`: lists of fields to filter and sort by at once, such as \`[["status", "dueDate"]]\`; also \`createdBy\`, \`updatedAt\` and \`updatedBy\`, alone or with fields
- \`x-unique\`: lists of fields that are unique together
- \`x-tree-order\`: field that orders siblings of a tree

On a field:
- \`x-unique\`: no two records have the same value
- \`x-unique-accents\`: values that differ in accents are different for \`x-unique\`
- \`x-search\`: \`q\` looks into the field
- \`x-searchable\`: false: neither filtered nor sorted
- \`x-facet\`: false: not counted by value
- \`x-reference\`: \`{entity, labelField, onDelete}\`: the value is the id of a record; onDelete is restrict, setNull or none
- \`x-encrypted\`: stored encrypted
- \`x-file\`: \`{types, maxBytes}\`: the field, of the format file or image, names a file that was uploaded
- \`x-number\`: format of the numbers that new records get, such as \`INV-{yyyy}-{0000}\`
- \`x-renamed-from\`: former name of the field, whose values it shows`;

const schemaDocument = lazy(() =>
  z
    .union([z.string().min(2).max(MAX_SCHEMA_BYTES), z.looseObject({})], {
      error: `must be JSON, as text of at most ${MAX_SCHEMA_BYTES} characters or as an object`,
    })
    .describe(
      'Form schema as JSON text or as an object: JSON Schema 2020-12 or draft-07, rjsf, JSON Forms or Formily.',
    ),
);

export const createBody = lazy(() =>
  z.strictObject({
    code: code(),
    name: entityName(),
    apiPath: apiPath().optional(),
    requireAuth: z.boolean().optional().describe('false makes the records public; default true.'),
    requirePermission: z
      .boolean()
      .optional()
      .describe('true asks for a permission for each action; default false.'),
    hierarchical: z.boolean().optional().describe('Records form a tree; default false.'),
    uiSchemaJson: schemaDocument(),
    options: options().optional(),
  }),
);

export const updateBody = lazy(() =>
  z.strictObject({
    code: readOnly(),
    name: entityName().optional(),
    apiPath: apiPath().optional(),
    requireAuth: z.boolean().optional(),
    requirePermission: z.boolean().optional(),
    hierarchical: z.boolean().optional(),
    options: options().optional(),
    id: readOnly(),
    uiSchemaJson: readOnly(),
    fields: readOnly(),
    schemaVersion: readOnly(),
    version: readOnly(),
    createdAt: readOnly(),
    createdBy: readOnly(),
    updatedAt: readOnly(),
    updatedBy: readOnly(),
  }),
);

export const schemaBody = lazy(() =>
  z
    .looseObject({})
    .describe('The form schema itself, or {uiSchemaJson} with the schema as text or object.'),
);

export const codeParams = lazy(() => z.strictObject({ code: code() }));
export const fieldParams = lazy(() =>
  z.strictObject({ code: code(), field: z.string().min(1).max(64) }),
);
export const versionParams = lazy(() =>
  z.strictObject({
    code: code(),
    version: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'must be a number from 1')
      .transform(Number),
  }),
);
export const jobParams = lazy(() => z.strictObject({ code: code(), jobId: z.uuid() }));

const flag = (meaning: string) =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .describe(meaning);

export const definitionListFilter = lazy(() => ({
  q: z.string().min(1).max(100).optional().describe('Only codes and names that hold this text.'),
  sort: z
    .string()
    .regex(
      /^-?(?:code|name|apiPath|createdAt|updatedAt)$/,
      'must be code, name, apiPath, createdAt or updatedAt',
    )
    .optional()
    .describe('Order, such as -updatedAt; default code.'),
}));
export const schemaQuery = lazy(() =>
  z.strictObject({
    dryRun: flag(
      'Says what would change and how many records break the new rules; changes nothing.',
    ),
    force: flag('Changes types even where stored values cannot follow.'),
  }),
);
export const deleteQuery = lazy(() =>
  z.strictObject({
    force: flag('Deletes the entity even if it has records.'),
    purge: flag('Deletes its records for good, too.'),
  }),
);
