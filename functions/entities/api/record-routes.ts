import type { PlatformConfig } from '../../../shared/config/index.ts';
import { toPage } from '../../../shared/http/paging.ts';
import { created, etag, noContent, ok, type Reply } from '../../../shared/http/reply.ts';
import type { Route, RouteInput } from '../../../shared/http/route.ts';
import { httpProblems } from '../../../shared/problems/http-problems.ts';
import type { EntityCatalog } from '../catalog/entity-catalog.ts';
import type { EntityModel } from '../domain/definitions/model.ts';
import { problems } from '../errors.ts';
import type { DeletionService } from '../records/deletion-service.ts';
import type { GrantedRecord, RecordReader } from '../records/record-reader.ts';
import type { RecordService } from '../records/record-service.ts';
import { entityRoutesAt, exportOf, pathBelow, type RecordRoutePlace } from './entity-route.ts';
import * as examples from './examples.ts';
import type { Presentation, RecordPresenter } from './record-presenter.ts';
import * as schemas from './record-schemas.ts';
import { toHistoryEntry } from './views.ts';

export interface RecordRouteServices {
  readonly catalog: EntityCatalog;
  readonly recordReader: RecordReader;
  readonly recordService: RecordService;
  readonly deletionService: DeletionService;
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
];

const READ_FIELDS = 'Read the record with the query parameter fields.';

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
    principal: RouteInput<never, never, never>['principal'],
    presentation: Presentation = {},
  ) => {
    const [flat] = await presenter.present(model, [header], presentation, grant, principal);
    return flat;
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
      query: schemas.updateQuery,
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
      responses: { 201: { ...record, headers: { ...version, location: 'The new record.' } } },
      problems: [...WRITE_PROBLEMS, problems.recordExists],
      handle: async (model, { params, body, principal }) => {
        const made = await recordService.create(model, body, principal);
        const { id, version: first } = made.header;
        const location = pathBelow(place, params.entityCode, `/${id}`);
        return created(location, await shown(model, made, principal), etag(first));
      },
    }),
    entityRoute({
      operationId: 'getRecord',
      method: 'GET',
      path: '/{id}',
      summary: 'Reads one record',
      params: schemas.recordParams,
      query: schemas.recordQuery,
      responses: { 200: record, 304: { description: 'The caller has this version already' } },
      problems: [problems.recordNotFound],
      handle: async (model, { params, query, headers, principal }): Promise<Reply> => {
        const { deleted = false, ...presentation } = query;
        const found = await recordReader.get(model, params.id, principal, deleted);
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
      query: schemas.deleteRecordQuery,
      conditional: true,
      responses: { 204: { description: 'Deleted' } },
      problems: [
        problems.recordNotFound,
        problems.referenced,
        problems.hasChildren,
        problems.preconditionRequired,
        problems.definitionChanged,
      ],
      handle: async (model, { params, query, principal, ifMatch }) => {
        const { purge = false, cascade } = query;
        const options = { ifMatch, purge, ...(cascade !== undefined && { cascade }) };
        await deletionService.delete(model, params.id, principal, options);
        return noContent();
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
        return ok(await shown(model, restored, principal), etag(restored.header.version));
      },
    }),
    entityRoute({
      operationId: 'getRecordHistory',
      method: 'GET',
      path: '/{id}/history',
      summary: 'Lists the changes of a record field by field, newest first',
      description: 'Empty unless the entity keeps a history.',
      params: schemas.recordParams,
      query: () => schemas.pageOnly(config),
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
