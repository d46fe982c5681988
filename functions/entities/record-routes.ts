import type { SvcConfig } from '../../shared/config/index.ts';
import { toPage } from '../../shared/http/paging.ts';
import { accepted, created, etag, noContent, ok, type Reply } from '../../shared/http/reply.ts';
import { decidedByData, type Route, type RouteInput, route } from '../../shared/http/route.ts';
import type { BulkResult, BulkService } from './bulk-service.ts';
import type { DeletionService } from './deletion-service.ts';
import type { EntityModel } from './domain/model.ts';
import { readNames } from './domain/query/list-query.ts';
import type { EntityAccess } from './entity-access.ts';
import type { EntityCatalog } from './entity-catalog.ts';
import * as examples from './examples.ts';
import type { ExportService, TransferFormat } from './export-service.ts';
import type { ImportService } from './import-service.ts';
import type { JobLinks } from './job-links.ts';
import type { JobService } from './job-service.ts';
import { named } from './problem-types.ts';
import type { ListOutcome, QueryService } from './query-service.ts';
import type { RecordPresenter } from './record-presenter.ts';
import * as schemas from './record-schemas.ts';
import type { GrantedRecord, RecordService } from './record-service.ts';
import { job as jobSchema } from './schemas.ts';
import type { TreeService } from './tree-service.ts';
import { toFormSchema, toJob } from './views.ts';

/** What the record routes call. */
export interface RecordRouteServices {
  readonly catalog: EntityCatalog;
  readonly access: EntityAccess;
  readonly recordService: RecordService;
  readonly deletionService: DeletionService;
  readonly queryService: QueryService;
  readonly presenter: RecordPresenter;
  readonly treeService: TreeService;
  readonly bulkService: BulkService;
  readonly exportService: ExportService;
  readonly importService: ImportService;
  readonly jobService: JobService;
  readonly jobLinks: JobLinks;
}

/** Where a table of record routes lies. */
export interface RecordRoutePlace {
  /** Path of an entity, with `{entityCode}`. */
  readonly base: string;
  /** Added to the operation ids. */
  readonly suffix: string;
}

const version = { etag: 'The version, quoted; send it back in If-Match.' };
const LIST_PROBLEMS = [
  'ENTITY_NOT_FOUND',
  'INVALID_CURSOR',
  'PAGE_WINDOW_EXCEEDED',
  'SORT_NEEDS_INDEX',
] as const;
const WRITE_PROBLEMS = [
  'ENTITY_NOT_FOUND',
  'REFERENCE_NOT_FOUND',
  'UNIQUE_VIOLATION',
  'HIERARCHY_CYCLE',
  'HIERARCHY_TOO_DEEP',
  'UNIT_TOO_LARGE',
] as const;
const FILE_TYPES = ['application/json', 'text/csv', 'application/octet-stream'];
/** What the function can take in one request. */
const MAX_IMPORT_BYTES = 4_500_000;

type Texts = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The HTTP table of records, the same for every entity. */
export function recordRoutes(
  services: RecordRouteServices,
  config: Pick<SvcConfig, 'web'>,
  { base, suffix }: RecordRoutePlace,
): Route[] {
  const { catalog, access, recordService, deletionService, queryService } = services;
  const pathOf = (entity: string): string => base.replace('{entityCode}', entity);
  const record = {
    description: 'The record',
    schema: schemas.record,
    headers: version,
    example: examples.record,
  };
  const one = async (
    model: EntityModel,
    { header, grant }: GrantedRecord,
    principal: RouteInput<never, never, never>['principal'],
    query: { fields?: string | string[] | undefined; expand?: string | string[] | undefined } = {},
  ) => {
    const [flat] = await services.presenter.present(model, [header], query, grant, principal);
    return flat;
  };
  const update = (method: 'PUT' | 'PATCH') =>
    route({
      operationId: `${method === 'PUT' ? 'updateRecord' : 'patchRecord'}${suffix}`,
      method,
      path: `${base}/{id}`,
      summary: 'Changes fields of a record',
      description:
        'What is not sent stays, null clears a field. Without If-Match changes of others are kept.',
      access: decidedByData,
      params: schemas.recordParams,
      query: schemas.updateQuery,
      body: schemas.recordBody,
      bodyExample: examples.recordBody,
      conditional: true,
      responses: { 200: record },
      problems: named(...WRITE_PROBLEMS, 'RECORD_NOT_FOUND', 'PRECONDITION_REQUIRED'),
      handle: ({ params, query: { replace = false }, body, principal, ifMatch }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const updated = await recordService.update(model, params.id, body, principal, {
            ifMatch,
            replace,
          });
          return ok(await one(model, updated, principal), etag(updated.header.version));
        }),
    });
  const presented = async (
    model: EntityModel,
    { page, grant }: ListOutcome,
    parameters: Texts,
    principal: RouteInput<never, never, never>['principal'],
  ) => {
    const { presenter } = services;
    const open = await presenter.open(model, page.content);
    return ok({
      ...page,
      content: await presenter.present(model, open, parameters, grant, principal),
    });
  };
  return [
    route({
      operationId: `listRecords${suffix}`,
      method: 'GET',
      path: base,
      summary: 'Lists records by filter, words and order',
      description:
        'Filters are `field=value` and `field[op]=value`; `filter={json}` groups them with and, or, not. `/schema` names the operators of each field. Text is compared without case and accents by startsWith, contains, endsWith and eqi.',
      access: decidedByData,
      params: schemas.entityParams,
      query: schemas.listQuery(config),
      responses: {
        200: {
          description: 'A page of records',
          schema: schemas.recordPage,
          example: examples.recordPage,
        },
      },
      problems: named(...LIST_PROBLEMS),
      handle: ({ params, query, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const { page, size, cursor, count, deleted, consistent, explain } = query;
          const call = {
            page,
            size,
            cursor,
            count,
            deleted,
            consistent,
            explain,
            parameters: query as Texts,
          };
          return presented(
            model,
            await queryService.list(model, call, principal),
            query as Texts,
            principal,
          );
        }),
    }),
    route({
      operationId: `createRecord${suffix}`,
      method: 'POST',
      path: base,
      summary: 'Creates a record',
      access: decidedByData,
      params: schemas.entityParams,
      body: schemas.recordBody,
      bodyExample: examples.recordBody,
      idempotent: true,
      responses: { 201: { ...record, headers: { ...version, location: 'The new record.' } } },
      problems: named(...WRITE_PROBLEMS, 'RECORD_EXISTS'),
      handle: ({ params, body, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const made = await recordService.create(model, body, principal);
          const { id, version: first } = made.header;
          return created(
            `${pathOf(params.entityCode)}/${id}`,
            await one(model, made, principal),
            etag(first),
          );
        }),
    }),
    route({
      operationId: `getRecordTree${suffix}`,
      method: 'GET',
      path: `${base}/tree`,
      summary: 'Shows the records of a hierarchical entity as a tree',
      access: decidedByData,
      params: schemas.entityParams,
      query: schemas.treeQuery,
      responses: {
        200: {
          description:
            'The nodes at the top with what hangs below them; `X-Truncated: true` when there are more',
          schema: schemas.tree,
          example: examples.treeNodes,
        },
      },
      problems: named('ENTITY_NOT_FOUND', 'ENTITY_NOT_HIERARCHICAL', 'RECORD_NOT_FOUND'),
      handle: ({ params, query: { fields, ...call }, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const names = readNames('fields', fields, (name) => model.field(name) !== undefined);
          const { nodes, isTruncated } = await services.treeService.tree(
            model,
            { ...call, fields: names },
            principal,
          );
          return ok(nodes, isTruncated ? { 'x-truncated': 'true' } : undefined);
        }),
    }),
    route({
      operationId: `getRecordFormSchema${suffix}`,
      method: 'GET',
      path: `${base}/schema`,
      summary: 'Gives what a client needs to show forms and filters of an entity',
      access: decidedByData,
      params: schemas.entityParams,
      responses: {
        200: {
          description: 'The schema, the fields and what the caller may do',
          schema: schemas.formSchema,
          headers: { etag: 'Version of the definition, quoted.' },
          example: examples.form,
        },
      },
      problems: named('ENTITY_NOT_FOUND'),
      handle: ({ params, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const grant = await access.check(model, principal, 'view');
          const may = (action: 'view' | 'add' | 'edit' | 'delete') =>
            access.isAllowed(model, principal, action);
          const [add, edit, remove] = await Promise.all([may('add'), may('edit'), may('delete')]);
          const permissions = { view: true, add, edit, delete: remove };
          return ok(toFormSchema(model, grant, permissions), etag(model.definition.version));
        }),
    }),
    route({
      operationId: `countRecords${suffix}`,
      method: 'GET',
      path: `${base}/count`,
      summary: 'Counts records that meet filters',
      access: decidedByData,
      params: schemas.entityParams,
      query: schemas.countQuery,
      responses: {
        200: {
          description: 'The count',
          schema: schemas.count,
          example: { count: 1_234, relation: 'eq' },
        },
      },
      problems: named('ENTITY_NOT_FOUND'),
      handle: ({ params, query, principal }) =>
        catalog.withEntity(params.entityCode, async (model) =>
          ok(await queryService.count(model, query as Texts, principal, query.count)),
        ),
    }),
    route({
      operationId: `getRecordFacets${suffix}`,
      method: 'GET',
      path: `${base}/facets`,
      summary: 'Counts records for each value of fields',
      description:
        'With filters that more records meet than one request may look at, `X-Total-Relation` is gte.',
      access: decidedByData,
      params: schemas.entityParams,
      query: schemas.facetQuery,
      responses: {
        200: {
          description: 'The counts by field',
          schema: schemas.facets,
          example: { status: [{ value: 'open', count: 12 }] },
        },
      },
      problems: named('ENTITY_NOT_FOUND'),
      handle: ({ params, query, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const fields =
            readNames('fields', query.fields, (name) => model.queryField(name) !== undefined) ?? [];
          const { facets, isExact } = await queryService.facets(
            model,
            fields,
            query as Texts,
            principal,
          );
          return ok(facets, { 'x-total-relation': isExact ? 'eq' : 'gte' });
        }),
    }),
    route({
      operationId: `listDeletedRecords${suffix}`,
      method: 'GET',
      path: `${base}/trash`,
      summary: 'Lists deleted records, newest deletion first',
      access: decidedByData,
      params: schemas.entityParams,
      query: schemas.trashQuery(config),
      responses: {
        200: {
          description: 'A page of deleted records',
          schema: schemas.recordPage,
          example: examples.trashPage,
        },
      },
      problems: named(...LIST_PROBLEMS),
      handle: ({ params, query, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const { page, size, cursor } = query;
          const call = { page, size, cursor, deleted: 'only' as const, parameters: query as Texts };
          return presented(model, await queryService.list(model, call, principal), {}, principal);
        }),
    }),
    route({
      operationId: `exportRecords${suffix}`,
      method: 'GET',
      path: `${base}/export`,
      summary: 'Writes records into a file',
      description:
        'Up to 4 MiB the file is the answer; more is written by a job. In CSV, texts that a spreadsheet would run are guarded by an apostrophe, which an import takes off again.',
      access: decidedByData,
      params: schemas.entityParams,
      query: schemas.exportQuery,
      responses: {
        200: {
          description: 'The file',
          contentType: 'text/csv',
          otherContent: {
            'application/json': { schema: schemas.exported, example: [examples.exported] },
            'application/x-ndjson': { schema: schemas.lines, example: '{}' },
          },
        },
        202: {
          description: 'The job that writes the file',
          schema: jobSchema,
          headers: { location: 'The job.' },
          example: { ...examples.job, kind: 'EXPORT' },
        },
      },
      problems: named('ENTITY_NOT_FOUND'),
      handle: ({ params, query, principal }) =>
        catalog.withEntity(params.entityCode, async (model): Promise<Reply> => {
          const outcome = await services.exportService.export(
            model,
            query.format,
            query as Texts,
            principal,
          );
          if (outcome.kind === 'file')
            return ok(outcome.text, { 'content-type': outcome.contentType });
          const location = `${pathOf(params.entityCode)}/jobs/${outcome.job.id}`;
          return accepted(toJob(outcome.job), { location });
        }),
    }),
    route({
      operationId: `importRecords${suffix}`,
      method: 'POST',
      path: `${base}/import`,
      summary: 'Reads records from a file',
      description:
        'A row that is refused does not keep the others from being stored. Long files are read by a job. One record on each line: send application/octet-stream and format=ndjson.',
      access: decidedByData,
      params: schemas.entityParams,
      query: schemas.importQuery,
      body: schemas.importBody,
      bodyExample: [examples.recordBody],
      consumes: FILE_TYPES,
      maxBodyBytes: MAX_IMPORT_BYTES,
      responses: {
        200: {
          description: 'What became of the rows',
          schema: schemas.importResult,
          example: examples.importResult,
        },
        202: {
          description: 'The job that reads the file',
          schema: jobSchema,
          headers: { location: 'The job.' },
          example: { ...examples.job, kind: 'IMPORT' },
        },
      },
      problems: named('ENTITY_NOT_FOUND', 'IMPORT_INVALID'),
      handle: ({ params, query, body, headers, principal }) =>
        catalog.withEntity(params.entityCode, async (model): Promise<Reply> => {
          const { mode, key = 'id', dryRun = false } = query;
          const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body ?? null));
          const format = Buffer.isBuffer(body)
            ? (query.format ?? formatOf(headers['content-type']))
            : 'json';
          const outcome = await services.importService.import(
            model,
            bytes,
            { format, mode, key, dryRun },
            principal,
          );
          if (!('job' in outcome)) return ok(outcome);
          const location = `${pathOf(params.entityCode)}/jobs/${outcome.job.id}`;
          return accepted(toJob(outcome.job), { location });
        }),
    }),
    route({
      operationId: `bulkRecords${suffix}`,
      method: 'POST',
      path: `${base}/bulk`,
      summary: 'Creates, changes, deletes and restores up to 500 records',
      access: decidedByData,
      params: schemas.entityParams,
      body: schemas.bulkBody,
      bodyExample: examples.bulkBody,
      idempotent: true,
      responses: {
        200: {
          description: 'What became of each operation',
          schema: schemas.bulkResult,
          example: examples.bulkResult,
        },
      },
      problems: named(
        ...WRITE_PROBLEMS,
        'RECORD_NOT_FOUND',
        'RECORD_EXISTS',
        'REFERENCED',
        'HAS_CHILDREN',
      ),
      handle: ({ params, body, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const results = await services.bulkService.run(
            model,
            body.operations,
            body.atomic,
            principal,
          );
          return ok({ results: results.map(toBulkResult) });
        }),
    }),
    route({
      operationId: `getRecordJob${suffix}`,
      method: 'GET',
      path: `${base}/jobs/{jobId}`,
      summary: 'Says how far an import or export is, and where its file is',
      access: decidedByData,
      params: schemas.recordJobParams,
      responses: { 200: { description: 'The job', schema: jobSchema, example: examples.job } },
      problems: named('ENTITY_NOT_FOUND', 'JOB_NOT_FOUND'),
      handle: ({ params, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          await access.check(model, principal, 'view');
          const job = await services.jobService.getOwn(model.code, params.jobId, principal);
          return ok(toJob(job, await services.jobLinks.linkOf(job)));
        }),
    }),
    route({
      operationId: `getRecord${suffix}`,
      method: 'GET',
      path: `${base}/{id}`,
      summary: 'Reads one record',
      access: decidedByData,
      params: schemas.recordParams,
      query: schemas.recordQuery,
      responses: { 200: record, 304: { description: 'The caller has this version already' } },
      problems: named('ENTITY_NOT_FOUND', 'RECORD_NOT_FOUND'),
      handle: ({ params, query, headers, principal }) =>
        catalog.withEntity(params.entityCode, async (model): Promise<Reply> => {
          const found = await recordService.get(
            model,
            params.id,
            principal,
            query.deleted ?? false,
          );
          const tag = etag(found.header.version);
          const isKnown = headers['if-none-match']
            ?.split(',')
            .some((each) => each.trim().replace(/^W\//, '') === tag.etag);
          if (isKnown) return { status: 304, headers: tag };
          return ok(await one(model, found, principal, query), tag);
        }),
    }),
    update('PUT'),
    update('PATCH'),
    route({
      operationId: `deleteRecord${suffix}`,
      method: 'DELETE',
      path: `${base}/{id}`,
      summary: 'Moves a record to the trash, or deletes it for good',
      access: decidedByData,
      params: schemas.recordParams,
      query: schemas.deleteRecordQuery,
      conditional: true,
      responses: { 204: { description: 'Deleted' } },
      problems: named(
        'ENTITY_NOT_FOUND',
        'RECORD_NOT_FOUND',
        'REFERENCED',
        'HAS_CHILDREN',
        'PRECONDITION_REQUIRED',
      ),
      handle: ({ params, query, principal, ifMatch }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const { purge = false, cascade } = query;
          await deletionService.delete(model, params.id, principal, {
            ifMatch,
            purge,
            ...(cascade !== undefined && { cascade }),
          });
          return noContent();
        }),
    }),
    route({
      operationId: `restoreRecord${suffix}`,
      method: 'POST',
      path: `${base}/{id}/restore`,
      summary: 'Brings a record back from the trash',
      access: decidedByData,
      params: schemas.recordParams,
      idempotent: true,
      responses: { 200: record },
      problems: named(...WRITE_PROBLEMS, 'RECORD_NOT_FOUND'),
      handle: ({ params, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const restored = await recordService.restore(model, params.id, principal);
          return ok(await one(model, restored, principal), etag(restored.header.version));
        }),
    }),
    route({
      operationId: `getRecordHistory${suffix}`,
      method: 'GET',
      path: `${base}/{id}/history`,
      summary: 'Lists the changes of a record field by field, newest first',
      description: 'Empty unless the entity keeps a history.',
      access: decidedByData,
      params: schemas.recordParams,
      query: schemas.pageOnly(config),
      responses: {
        200: {
          description: 'A page of changes',
          schema: schemas.historyPage,
          example: examples.historyPage,
        },
      },
      problems: named('ENTITY_NOT_FOUND', 'RECORD_NOT_FOUND'),
      handle: ({ params, query, principal }) =>
        catalog.withEntity(params.entityCode, async (model) => {
          const found = await recordService.history(model, params.id, principal, query);
          const content = found.content.map(({ version: number, action, at, by, changes }) => ({
            version: number,
            action,
            at,
            by,
            changes,
          }));
          return ok(toPage({ ...found, content }));
        }),
    }),
  ];
}

function formatOf(contentType = ''): TransferFormat {
  return contentType.startsWith('application/json') ? 'json' : 'csv';
}

function toBulkResult({ error, ...result }: BulkResult) {
  if (!error) return result;
  const { code, detail, errors } = error;
  return { ...result, error: { code, detail, ...(errors.length > 0 && { errors }) } };
}
