import type { PlatformConfig } from '../../../shared/config/index.ts';
import { toPage } from '../../../shared/http/paging.ts';
import { created, etag, noContent, ok, type Reply } from '../../../shared/http/reply.ts';
import type { Route } from '../../../shared/http/route.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { RecordAction } from '../access/record-grant.ts';
import { NO_FIELDS } from '../access/record-rules.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { DeletionService } from '../deletions/deletion-service.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import type { FlatRecord } from '../domain/entity/record.ts';
import { readNames } from '../domain/query/list-query.ts';
import { toFlat } from '../domain/records/present.ts';
import { problems } from '../errors.ts';
import type { GrantedRecord, RecordReader } from '../records/record-reader.ts';
import type { RecordService } from '../records/record-service.ts';
import { entityRoutesAt, exportOf, pathBelow, type RecordRoutePlace } from './entity-route.ts';
import * as examples from './examples.ts';
import { acceptedJob, startedJob } from './job-reply.ts';
import type { Presentation, RecordPresenter } from './record-presenter.ts';
import * as queries from './record-queries.ts';
import * as schemas from './record-schemas.ts';
import { toHistoryEntry } from './views.ts';

export interface RecordRouteServices {
  readonly catalog: EntityCatalog;
  readonly recordReader: RecordReader;
  readonly recordService: RecordService;
  readonly deletionService: Pick<DeletionService, 'delete'>;
  readonly presenter: RecordPresenter;
}

const version = { etag: 'The version, quoted; send it back in If-Match.' };
const record = {
  description: 'The record',
  schema: schemas.record,
  headers: version,
  example: examples.record,
};
/** Problems of all routes that store a record. */
export const WRITE_PROBLEMS = [
  problems.referenceNotFound,
  problems.uniqueViolation,
  problems.hierarchyCycle,
  problems.hierarchyTooDeep,
  httpProblems.unitTooLarge,
  problems.definitionChanged,
  problems.deletionInProgress,
];

const READ_FIELDS = 'Read the record with the query parameter fields.';

/** What is kept of the answer to a call with an `Idempotency-Key`: no value, as grants may be narrower when the call is repeated. */
const withoutValues = (model: EntityModel, { header }: Pick<GrantedRecord, 'header'>): FlatRecord =>
  toFlat(model, header, { visible: NO_FIELDS });

/** Routes of single records, the same for every entity. */
export function recordRoutes(
  { catalog, recordReader, recordService, deletionService, presenter }: RecordRouteServices,
  config: Pick<PlatformConfig, 'web'>,
  place: RecordRoutePlace,
): Route[] {
  const entityRoute = entityRoutesAt(place, catalog);
  const shown = async (
    model: EntityModel,
    { header, grant }: GrantedRecord,
    principal: Principal,
    presentation: Presentation = {},
  ) => {
    const [flat] = await presenter.present(model, [header], presentation, grant, principal);
    return flat ?? withoutValues(model, { header });
  };
  const createdAt = (entityName: string, flat: FlatRecord): Reply =>
    created(pathBelow(place, entityName, `/${flat.id}`), flat, etag(flat.version));
  /** A record that an earlier call has written, as the caller sees it now; without values when it is gone. */
  const again = async (
    model: EntityModel,
    kept: unknown,
    principal: Principal,
    action: RecordAction,
  ): Promise<FlatRecord> => {
    const bare = kept as FlatRecord;
    const written = await recordReader.written(model, bare.id, principal, action);
    return written ? shown(model, written, principal) : bare;
  };
  const update = (method: 'PUT' | 'PATCH') =>
    entityRoute({
      operationId: method === 'PUT' ? 'updateRecord' : 'patchRecord',
      method,
      path: '/{id}',
      summary: 'Changes fields of a record',
      description:
        'Fields that are not sent keep their values; null clears a field. Without If-Match, concurrent changes of other fields are kept.',
      params: schemas.recordParams,
      query: queries.updateQuery,
      body: schemas.recordBody,
      bodyExample: examples.recordBody,
      conditional: true,
      whenTooLarge: READ_FIELDS,
      responses: { 200: record },
      problems: [...WRITE_PROBLEMS, problems.recordNotFound, problems.preconditionRequired],
      handle: async (model, { params, query: { replace = false }, body, principal, ifMatch }) => {
        const options = { ifMatch, replace };
        const updated = await recordService.update(model, params.id, body, principal, options);
        const reply = ok(await shown(model, updated, principal), etag(updated.header.version));
        return { ...reply, fileOf: exportOf(place, params.entityCode) };
      },
    });
  return [
    entityRoute({
      operationId: 'createRecord',
      method: 'POST',
      path: '',
      summary: 'Creates a record',
      params: schemas.entityParams,
      body: schemas.recordBody,
      bodyExample: examples.recordBody,
      idempotent: true,
      whenTooLarge: READ_FIELDS,
      responses: { 201: { ...record, headers: { ...version, location: 'The new record.' } } },
      problems: [...WRITE_PROBLEMS, problems.recordExists],
      handle: async (model, { params, body, principal }) => {
        const made = await recordService.create(model, body, principal);
        const flat = await shown(model, made, principal);
        return { ...createdAt(params.entityCode, flat), kept: withoutValues(model, made) };
      },
      replay: async (model, kept, { params, principal }) =>
        createdAt(params.entityCode, await again(model, kept, principal, 'add')),
    }),
    entityRoute({
      operationId: 'getRecord',
      method: 'GET',
      path: '/{id}',
      summary: 'Reads one record',
      params: schemas.recordParams,
      query: queries.recordQuery,
      responses: { 200: record, 304: { description: 'The caller has this version already' } },
      problems: [problems.recordNotFound],
      handle: async (model, { params, query, headers, principal }): Promise<Reply> => {
        const { deleted = false, ...presentation } = query;
        const names = readNames('fields', query.fields, () => true);
        const found = await recordReader.get(model, params.id, principal, deleted, names);
        const tag = etag(found.header.version);
        const isKnown = headers['if-none-match']
          ?.split(',')
          .some((each) => each.trim().replace(/^W\//, '') === tag.etag);
        if (isKnown) return { status: 304, headers: tag };
        const reply = ok(await shown(model, found, principal, presentation), tag);
        return { ...reply, fileOf: exportOf(place, params.entityCode) };
      },
    }),
    update('PUT'),
    update('PATCH'),
    entityRoute({
      operationId: 'deleteRecord',
      method: 'DELETE',
      path: '/{id}',
      summary: 'Moves a record to the trash, or deletes it for good',
      params: schemas.recordParams,
      query: queries.deleteRecordQuery,
      conditional: true,
      responses: {
        202: startedJob('The job that deletes a large subtree', { kind: 'DELETE' }),
        204: { description: 'Deleted' },
      },
      problems: [
        problems.recordNotFound,
        problems.deletionInProgress,
        problems.referenced,
        problems.hasChildren,
        problems.preconditionRequired,
        problems.definitionChanged,
      ],
      handle: async (model, { params, query, principal, ifMatch }) => {
        const { purge = false, cascade } = query;
        const options = { ifMatch, purge, ...(cascade !== undefined && { cascade }) };
        const job = await deletionService.delete(model, params.id, principal, options);
        return job ? acceptedJob(place, params.entityCode, job) : noContent();
      },
    }),
    entityRoute({
      operationId: 'restoreRecord',
      method: 'POST',
      path: '/{id}/restore',
      summary: 'Restores a record from the trash',
      params: schemas.recordParams,
      idempotent: true,
      whenTooLarge: READ_FIELDS,
      responses: { 200: record },
      problems: [...WRITE_PROBLEMS, problems.recordNotFound],
      handle: async (model, { params, principal }) => {
        const restored = await recordService.restore(model, params.id, principal);
        const flat = await shown(model, restored, principal);
        return { ...ok(flat, etag(flat.version)), kept: withoutValues(model, restored) };
      },
      replay: async (model, kept, { principal }) => {
        const flat = await again(model, kept, principal, 'delete');
        return ok(flat, etag(flat.version));
      },
    }),
    entityRoute({
      operationId: 'getRecordHistory',
      method: 'GET',
      path: '/{id}/history',
      summary: 'Lists the changes of a record field by field, newest first',
      description: 'Empty unless the entity keeps a history.',
      params: schemas.recordParams,
      query: () => queries.pageOnly(config),
      responses: {
        200: {
          description: 'A page of changes',
          schema: schemas.historyPage,
          example: examples.historyPage,
        },
      },
      problems: [problems.recordNotFound],
      handle: async (model, { params, query, principal }) => {
        const found = await recordService.history(model, params.id, principal, query);
        return ok(toPage({ ...found, content: found.content.map(toHistoryEntry) }));
      },
    }),
  ];
}
