import * as z from 'zod';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { NUMBER_PATTERN } from '../../domain/documents/document-number.ts';
import { TEMPLATE_STATUSES, TEMPLATE_TYPES } from '../../domain/documents/template.ts';
import { declarations } from './field-schemas.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));
const readOnly = lazy(() => z.unknown().optional().meta({ readOnly: true }));

const code = lazy(() =>
  z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
      'must begin with a letter or digit and have at most 100 letters, digits, ., _ and -',
    )
    .describe('Code of the template, unique in its tenant.'),
);
const name = lazy(() => z.string().trim().min(1).max(255));
const type = lazy(() =>
  z
    .enum(TEMPLATE_TYPES)
    .describe(
      'Which merge fields of an output are locked. TYPE_1: those with lockedInOutput; TYPE_2: all that are bound; TYPE_3: none.',
    ),
);
const entityType = lazy(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be the code of an entity')
    .describe('Entity whose records fill the documents, when a request names none.'),
);
const description = lazy(() => z.string().max(2_000));

const numberPattern = lazy(() =>
  z
    .string()
    .max(100)
    .regex(
      NUMBER_PATTERN,
      'must have {seq} or {seq:0000}, and no other braces than {yyyy}, {yy}, {MM}, {dd} and {code}',
    )
    .describe('How document numbers look; left out: {seq:0000}/{yyyy}/{code}.'),
);

/** What a client may say, absent or null. */
const more = lazy(() => ({
  entityType: entityType().nullish(),
  description: description().nullish(),
  numberPattern: numberPattern().nullish(),
}));

export const createBody = lazy(() =>
  z.strictObject({
    ...{ code: code(), name: name(), type: type(), ...more() },
    fields: declarations()
      .nullish()
      .describe('Declarations of merge fields; a file may come before or after them.'),
  }),
);

export const updateBody = lazy(() =>
  z.strictObject({
    name: name(),
    type: type(),
    ...more(),
    version: z.int().min(1).optional().describe('The version that was read, as in If-Match.'),
    ...{ id: readOnly(), code: readOnly(), status: readOnly(), file: readOnly() },
    docsEditUrl: readOnly(),
    ...{ createdAt: readOnly(), createdBy: readOnly() },
    ...{ updatedAt: readOnly(), updatedBy: readOnly() },
  }),
);

export const copyBody = lazy(() => z.strictObject({ code: code(), name: name().optional() }));

export const templateParams = lazy(() => z.strictObject({ templateId: z.uuid() }));
export const codeParams = lazy(() => z.strictObject({ code: code() }));

/** Lists are sorted in memory: they have numbers of pages and no cursors. */
export const listQuery = (web: PageLimits) => {
  const { page, size } = pageQuery(web);
  return z.strictObject({
    ...{ page, size },
    code: code().optional(),
    type: type().optional(),
    status: z.enum(TEMPLATE_STATUSES).optional().describe('Default ACTIVE.'),
    q: z.string().min(1).max(100).optional().describe('Only codes and names that hold this text.'),
    sort: z
      .string()
      .regex(
        /^-?(?:code|name|type|createdAt|updatedAt)$/,
        'must be code, name, type, createdAt or updatedAt',
      )
      .optional()
      .describe('Order, such as -updatedAt; default code.'),
  });
};

export const template = lazy(() =>
  z
    .object({
      id: z.uuid(),
      code: code(),
      name: z.string(),
      type: type(),
      status: z
        .enum(TEMPLATE_STATUSES)
        .describe('DELETED: the record remains, and its code stays reserved.'),
      entityType: entityType().nullable(),
      description: z.string().nullable(),
      numberPattern: z.string().nullable(),
      file: z
        .object({
          fileVersion: z.int().min(1),
          fileName: z.string(),
          fileSize: z.int().describe('Bytes of the stored file.'),
          fileHash: z.string().describe('SHA-256 of the stored file in hexadecimal.'),
        })
        .nullable()
        .describe('The newest version; null until a file is uploaded.'),
      docsEditUrl: z
        .string()
        .optional()
        .describe('Opens the newest version in the editor, where there is one.'),
      version: z.int().min(1),
      createdAt: instant(),
      createdBy: z.string(),
      updatedAt: instant(),
      updatedBy: z.string(),
    })
    .meta({ id: 'Template' }),
);

export const templatePage = lazy(() => pageSchema(template(), 'TemplatePage'));
