import { defineProblems, type ProblemItem } from '../../shared/problems/problem.ts';

const list = (errors: readonly ProblemItem[]): string =>
  errors
    .slice(0, 3)
    .map(({ pointer, parameter, detail }) => `${parameter ?? (pointer || 'the schema')} ${detail}`)
    .join('; ');

/** The problems of the entities module. */
export const problems = defineProblems({
  entityNotFound: {
    code: 'ENTITY_NOT_FOUND',
    status: 404,
    title: 'Entity not found',
    describe: ({ entity }: { entity: string }) => `There is no entity ${entity}.`,
  },
  recordNotFound: {
    code: 'RECORD_NOT_FOUND',
    status: 404,
    title: 'Record not found',
    describe: ({ entity, id }: { entity: string; id: string }) =>
      `${entity} has no record ${id} that is visible to the caller.`,
  },
  versionNotFound: {
    code: 'SCHEMA_VERSION_NOT_FOUND',
    status: 404,
    title: 'Schema version not found',
    describe: ({ entity, version }: { entity: string; version: number }) =>
      `The history of ${entity} has no schema version ${version}.`,
  },
  fieldNotFound: {
    code: 'FIELD_NOT_FOUND',
    status: 404,
    title: 'Field not found',
    describe: ({ entity, field }: { entity: string; field: string }) =>
      `${entity} has no field ${field}.`,
  },
  jobNotFound: {
    code: 'JOB_NOT_FOUND',
    status: 404,
    title: 'Job not found',
    describe: ({ id }: { id: string }) => `There is no job ${id}.`,
  },
  jobEnded: {
    code: 'JOB_ENDED',
    status: 409,
    title: 'Job has ended',
    describe: ({ id }: { id: string }) => `Job ${id} has ended; there is nothing to cancel.`,
  },
  notHierarchical: {
    code: 'ENTITY_NOT_HIERARCHICAL',
    status: 404,
    title: 'Entity is not hierarchical',
    describe: ({ entity }: { entity: string }) => `${entity} is not hierarchical.`,
  },
  codeExists: {
    code: 'CODE_EXISTS',
    status: 409,
    title: 'Code or path already in use',
    describe: ({ name }: { name: string }) =>
      `${name} is already the code or apiPath of an entity, possibly of a deleted one.`,
  },
  invalidSchema: {
    code: 'INVALID_SCHEMA',
    status: 400,
    title: 'Invalid form schema',
    describe: (errors: readonly ProblemItem[]) => ({ detail: list(errors), errors }),
  },
  schemaIncompatible: {
    code: 'SCHEMA_INCOMPATIBLE',
    status: 409,
    title: 'Schema is incompatible with stored values',
    describe: ({
      fields,
      reason = 'changes type and stored values cannot be converted; force=true changes it and sets them aside',
    }: {
      fields: readonly string[];
      reason?: string;
    }) => ({
      detail: `${fields.join(', ')} ${reason}.`,
      extensions: { fields },
    }),
  },
  entityHasRecords: {
    code: 'ENTITY_HAS_RECORDS',
    status: 409,
    title: 'Entity has records',
    describe: ({ entity, remedy }: { entity: string; remedy: string }) =>
      `${entity} has records; ${remedy}.`,
  },
  uniqueViolation: {
    code: 'UNIQUE_VIOLATION',
    status: 409,
    title: 'Value already exists',
    describe: ({
      fields,
      conflictId,
    }: {
      fields: readonly string[];
      conflictId?: string | undefined;
    }) => ({
      detail: `Another record has the same ${fields.join(' and ')}.`,
      extensions: { field: fields.join('+'), ...(conflictId ? { conflictId } : {}) },
      errors: fields.map((field) => ({
        pointer: `/${field}`,
        code: 'UNIQUE',
        detail: 'already exists',
      })),
    }),
  },
  definitionChanged: {
    code: 'DEFINITION_CHANGED',
    status: 409,
    title: 'Definition changed during the request',
    describe: ({ entity }: { entity: string }) => ({
      detail: `The definition of ${entity} changed during the request; retry.`,
      headers: { 'retry-after': '1' },
    }),
  },
  outOfTime: {
    code: 'OUT_OF_TIME',
    status: 422,
    title: 'Not enough time for all operations',
    describe: ({ index }: { index: number }) =>
      `The time of the call was over before operation ${index}, which was not begun: send it again with fewer others.`,
  },
  recordExists: {
    code: 'RECORD_EXISTS',
    status: 409,
    title: 'Record already exists',
    describe: ({ id }: { id: string }) =>
      `A record with the id ${id} already exists, possibly in the trash.`,
  },
  referenceNotFound: {
    code: 'REFERENCE_NOT_FOUND',
    status: 400,
    title: 'Referenced record does not exist',
    describe: ({ field, entity, id }: { field: string; entity: string; id: string }) => ({
      detail: `${field} refers to ${id}, which is not an active record of ${entity}.`,
      errors: [
        {
          pointer: `/${field}`,
          code: 'REFERENCE_NOT_FOUND',
          detail: `is not a record of ${entity}`,
        },
      ],
    }),
  },
  referenced: {
    code: 'REFERENCED',
    status: 409,
    title: 'Record is referenced by other records',
    describe: (by: { entity: string; field: string; unclear?: string } | undefined) => {
      if (!by) return 'Other records refer to this record.';
      const { unclear, ...extensions } = by;
      const detail = unclear
        ? `It is not known whether records of ${by.entity} refer to this record in their field ${by.field}: ${unclear}.`
        : `Records of ${by.entity} refer to this record in their field ${by.field}.`;
      return { detail, extensions };
    },
  },
  deletionInProgress: {
    code: 'DELETION_IN_PROGRESS',
    status: 409,
    title: 'Record is being deleted',
    describe: ({ entity, id, field }: { entity: string; id: string; field?: string }) => ({
      detail: `The record ${id} of ${entity} is being deleted; retry to see what has become of it.`,
      headers: { 'retry-after': '1' },
      errors: field
        ? [{ pointer: `/${field}`, code: 'DELETION_IN_PROGRESS', detail: 'is being deleted' }]
        : [],
    }),
  },
  hasChildren: {
    code: 'HAS_CHILDREN',
    status: 409,
    title: 'Record has children',
    describe: () => 'Move or delete the children first, or send cascade=true.',
  },
  hierarchyCycle: {
    code: 'HIERARCHY_CYCLE',
    status: 409,
    title: 'Record cannot be its own ancestor',
    describe: () => 'The new parent is the record itself or one of its descendants.',
  },
  hierarchyTooDeep: {
    code: 'HIERARCHY_TOO_DEEP',
    status: 422,
    title: 'Tree too deep',
    describe: ({ max }: { max: number }) => `A tree has at most ${max} levels.`,
  },
  preconditionRequired: {
    code: 'PRECONDITION_REQUIRED',
    status: 428,
    title: 'If-Match is required',
    describe: () => 'Send the version you read in If-Match.',
  },
  invalidCursor: {
    code: 'INVALID_CURSOR',
    status: 400,
    title: 'Invalid cursor',
    describe: ({ detail }: { detail: string }) => ({
      detail: `cursor ${detail}`,
      errors: [{ parameter: 'cursor', code: 'INVALID_CURSOR', detail }],
    }),
  },
  pageWindowExceeded: {
    code: 'PAGE_WINDOW_EXCEEDED',
    status: 400,
    title: 'Page too far from both ends',
    describe: ({ max }: { max: number }) => {
      const detail = `is more than ${max} records from both ends; use nextCursor instead`;
      return {
        detail: `page ${detail}`,
        errors: [{ parameter: 'page', code: 'PAGE_WINDOW_EXCEEDED', detail }],
      };
    },
  },
  sortNeedsIndex: {
    code: 'SORT_NEEDS_INDEX',
    status: 400,
    title: 'Too many records to sort by these fields',
    describe: ({ fields, max }: { fields: readonly string[]; max: number }) => {
      const detail = `sorts more than ${max} records by ${fields.join(', ')}; declare x-indexes for these fields`;
      return {
        detail: `sort ${detail}`,
        errors: [{ parameter: 'sort', code: 'SORT_NEEDS_INDEX', detail }],
      };
    },
  },
  uploadNotFound: {
    code: 'UPLOAD_NOT_FOUND',
    status: 404,
    title: 'Upload not found',
    describe: ({ id }: { id: string }) => `There is no upload ${id}, or it has expired.`,
  },
  uploadIncomplete: {
    code: 'UPLOAD_INCOMPLETE',
    status: 409,
    title: 'The file is not uploaded yet',
    describe: ({ id }: { id: string }) => `Upload the file of ${id} by its link first.`,
  },
  importInvalid: {
    code: 'IMPORT_INVALID',
    status: 400,
    title: 'File cannot be read',
    describe: ({ detail }: { detail: string }) => detail,
  },
});
