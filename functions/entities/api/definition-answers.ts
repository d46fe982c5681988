import * as z from 'zod';
import { pageSchema } from '../../../shared/http/paging.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { instant } from './record-schemas.ts';
import { apiPath, code, entityName } from './schemas.ts';

/* What answers about entity definitions hold. */

const version = lazy(() => z.int().min(1).describe('Grows by one with each change.'));

export const field = lazy(() =>
  z
    .looseObject({
      code: z.string(),
      name: z.string(),
      fieldType: z.string(),
      dataType: z.string(),
      required: z.boolean(),
      readOnly: z.boolean(),
      writeOnly: z.boolean(),
      unique: z.boolean(),
      searchable: z.boolean(),
      searchMode: z.enum(['none', 'word']),
      facet: z.boolean(),
      sortable: z.boolean(),
      operators: z.array(z.string()).describe('Operators of filters by the field.'),
      order: z.int(),
      visible: z.boolean(),
      schemaVersion: z.int(),
      indexState: z.enum(['WRITE_ONLY', 'BUILDING', 'READY', 'DROPPING']).optional(),
    })
    .meta({ id: 'EntityField' }),
);

const summaryMembers = lazy(() => ({
  id: z.string(),
  code: code(),
  name: entityName(),
  apiPath: apiPath(),
  requireAuth: z.boolean(),
  requirePermission: z.boolean(),
  hierarchical: z.boolean(),
  schemaVersion: z.int().min(1),
  version: version(),
  createdAt: instant(),
  createdBy: z.string(),
  updatedAt: instant(),
  updatedBy: z.string(),
}));

const definitionSummary = lazy(() =>
  z.looseObject(summaryMembers()).meta({ id: 'EntityDefinitionSummary' }),
);
const warnings = lazy(() =>
  z
    .array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))
    .optional()
    .describe(
      'Keywords `x-` and formats of the form that nothing follows: misspelt ones with the nearest name, and those of a field on a part of its value.',
    ),
);
export const definition = lazy(() =>
  z
    .looseObject({
      ...summaryMembers(),
      options: z.looseObject({}),
      uiSchemaJson: z.string().describe('The form schema as it was sent.'),
      fields: z.array(field()),
      warnings: warnings(),
    })
    .meta({ id: 'EntityDefinition' }),
);
export const definitionPage = lazy(() => pageSchema(definitionSummary(), 'EntityDefinitionPage'));
export const fieldList = lazy(() => z.array(field()));

export const schemaOutcome = lazy(() =>
  z
    .object({
      code: code(),
      schemaVersion: z.int().min(1),
      version: version(),
      fields: z.array(field()),
      changes: z.array(
        z.object({
          field: z.string(),
          change: z.enum(['ADDED', 'REMOVED', 'RENAMED', 'TYPE_CHANGED', 'TIGHTENED', 'CHANGED']),
          compatible: z.boolean().describe('Whether stored values can follow.'),
          backfill: z.boolean().describe('Whether a job writes rows of stored records anew.'),
        }),
      ),
      jobs: z.array(z.object({ id: z.string(), field: z.string(), state: z.string() })),
      check: z
        .object({ checked: z.int(), invalid: z.int() })
        .optional()
        .describe('Stored records that break the new rules, of those looked at (dryRun).'),
      warnings: warnings(),
    })
    .meta({ id: 'EntitySchemaOutcome' }),
);

export const schemaVersion = lazy(() =>
  z
    .object({
      schemaVersion: z.int().min(1),
      uiSchemaJson: z.string(),
      at: instant(),
      by: z.string(),
    })
    .meta({ id: 'EntitySchemaVersion' }),
);

export const schemaVersionList = lazy(() => z.array(schemaVersion()));
