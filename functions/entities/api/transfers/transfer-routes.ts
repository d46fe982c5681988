import { ok, type Reply } from '../../../../shared/http/reply.ts';
import type { Route, RouteInput } from '../../../../shared/http/route.ts';
import { httpProblems } from '../../../../shared/problems/http-problems.ts';
import type { EntityCatalog } from '../../catalog/entity-catalog.ts';
import { problems } from '../../errors.ts';
import type { ListCall } from '../../queries/list-call.ts';
import type { BulkResult } from '../../transfers/bulk-result.ts';
import type { BulkService } from '../../transfers/bulk-service.ts';
import type { TransferFormat } from '../../transfers/exports/export-file.ts';
import type { ExportService } from '../../transfers/exports/export-service.ts';
import type { SentFile } from '../../transfers/import-rows.ts';
import type { ImportService } from '../../transfers/import-service.ts';
import { entityRoutesAt, type RecordRoutePlace } from '../entity-route.ts';
import * as examples from '../examples.ts';
import { acceptedJob, startedJob } from '../job-reply.ts';
import * as queries from '../record-queries.ts';
import { WRITE_PROBLEMS } from '../record-routes.ts';
import * as schemas from '../record-schemas.ts';
import type { ImportForm } from './transfer-schemas.ts';
import * as transfers from './transfer-schemas.ts';

export interface TransferRouteServices {
  readonly catalog: EntityCatalog;
  readonly bulkService: Pick<BulkService, 'run'>;
  readonly exportService: Pick<ExportService, 'export'>;
  readonly importService: Pick<ImportService, 'import'>;
}

const FILE_TYPES = [
  'application/json',
  'text/csv',
  'application/x-ndjson',
  'application/octet-stream',
];
/** Names the encrypted fields that a file leaves out; not sent when there are none. */
const LEFT_OUT = 'x-left-out-fields';
/** An answer has 10 KB of headers. */
const MAX_HEADER_LENGTH = 4_000;
/** Bytes of all violations in the answer of a bulk call. */
const MAX_VIOLATION_BYTES = 2_000_000;
/** Of each description, which may quote what was sent. */
const MAX_DETAIL = 500;
const LEFT_OUT_RULES = ' The list of violations is left out; send fewer operations to get it.';
type Headers = Readonly<Record<string, string>>;
const FORMATS = ['csv', 'json', 'ndjson'] as const;

/** Routes of bulk operations, import and export, the same for every entity. */
export function transferRoutes(
  { catalog, ...services }: TransferRouteServices,
  place: RecordRoutePlace,
): Route[] {
  const entityRoute = entityRoutesAt(place, catalog);
  return [
    entityRoute({
      operationId: 'exportRecords',
      method: 'GET',
      path: '/export',
      summary: 'Exports records to a file',
      description:
        'Up to 4 MiB the response is the file; a job writes larger ones. Encrypted fields are left out; the header x-left-out-fields names them. In CSV, texts that a spreadsheet would run as formulas are prefixed with an apostrophe, which an import removes.',
      params: schemas.entityParams,
      query: queries.exportQuery,
      responses: {
        200: {
          description: 'The file',
          contentType: 'text/csv',
          example: examples.exportedFile,
          otherContent: {
            'application/json': { schema: transfers.exported, example: [examples.exported] },
            'application/x-ndjson': { schema: transfers.lines, example: '{}' },
          },
        },
        202: startedJob('The job that writes the file', { kind: 'EXPORT' }),
      },
      handle: async (model, { params, query, principal }): Promise<Reply> => {
        const parameters = query as ListCall['parameters'];
        const outcome = await services.exportService.export(
          model,
          query.format,
          parameters,
          principal,
        );
        const { leftOut } = outcome;
        const more: Headers = leftOut.length > 0 ? { [LEFT_OUT]: headerOf(leftOut) } : {};
        if (outcome.kind === 'job') return acceptedJob(place, params.entityCode, outcome.job, more);
        return ok(outcome.text, { 'content-type': outcome.contentType, ...more });
      },
    }),
    entityRoute({
      operationId: 'importRecords',
      method: 'POST',
      path: '/import',
      summary: 'Imports records from a file',
      description:
        'Rejected rows do not prevent the others from being stored. A job reads long files. For one JSON record per line send application/x-ndjson.',
      params: schemas.entityParams,
      query: queries.importQuery,
      body: transfers.importBody,
      bodyExample: [examples.recordBody],
      bodyExamples: examples.files,
      consumes: FILE_TYPES,
      form: transfers.importForm,
      formExample: { file: 'name\r\nAn\r\n' },
      maxBodyBytes: transfers.MAX_IMPORT_BYTES,
      // A row that is nested too deeply is refused alone.
      anyDepth: true,
      responses: {
        200: {
          description: 'The outcome of the rows',
          schema: transfers.importResult,
          example: examples.importResult,
        },
        202: startedJob('The job that reads the file', { kind: 'IMPORT' }),
      },
      problems: [problems.importInvalid],
      handle: async (model, { params, query, principal, ...sent }): Promise<Reply> => {
        const { mode, key = 'id', dryRun = false } = query;
        const file = fileOf(sent, query.format);
        const how = { mode, key, dryRun };
        const outcome = await services.importService.import(model, file, how, principal);
        return 'job' in outcome ? acceptedJob(place, params.entityCode, outcome.job) : ok(outcome);
      },
    }),
    entityRoute({
      operationId: 'bulkRecords',
      method: 'POST',
      path: '/bulk',
      summary: 'Creates, changes, deletes and restores up to 500 records',
      params: schemas.entityParams,
      body: transfers.bulkBody,
      bodyExample: examples.bulkBody,
      idempotent: true,
      responses: {
        200: {
          description: 'The outcome of each operation',
          schema: transfers.bulkResult,
          example: examples.bulkResult,
        },
      },
      problems: [
        ...WRITE_PROBLEMS,
        problems.recordNotFound,
        problems.recordExists,
        problems.referenced,
        problems.hasChildren,
        problems.outOfTime,
      ],
      handle: async (model, { body: { operations, atomic }, headers, principal }) => {
        if (headers['idempotency-key'] !== undefined && !atomic) throw needsAtomic();
        const results = await services.bulkService.run(model, operations, atomic, principal);
        return ok({ results: toBulkResults(results) });
      },
    }),
  ];
}

/** Names in a header, which holds no other characters than those of ASCII; the last ones are left out where they are too many. */
function headerOf(names: readonly string[]): string {
  const text = names.map(encodeURIComponent).join(',');
  if (text.length <= MAX_HEADER_LENGTH) return text;
  return `${text.slice(0, text.lastIndexOf(',', MAX_HEADER_LENGTH))},...`;
}

function needsAtomic(): Error {
  const detail =
    'must be true with an Idempotency-Key: only a single transaction can be applied exactly once';
  return httpProblems.validationFailed([{ pointer: '/atomic', code: 'REQUIRED', detail }]);
}

/** The file of a request: a form part, raw bytes, or JSON parsed by the pipeline. */
function fileOf(
  {
    form,
    body,
    headers,
  }: Pick<RouteInput<unknown, unknown, unknown, unknown, ImportForm>, 'form' | 'body' | 'headers'>,
  wanted: TransferFormat | undefined,
): SentFile {
  if (form) {
    const { bytes, contentType, fileName } = form.file;
    return { bytes, format: wanted ?? formatOfName(fileName) ?? formatOf(contentType) };
  }
  if (Buffer.isBuffer(body)) {
    return { bytes: body, format: wanted ?? formatOf(headers['content-type']) };
  }
  return { parsed: body };
}

/** Prefer the file name: clients rarely send specific content types. */
function formatOfName(fileName: string): TransferFormat | undefined {
  const extension = /\.(csv|json|ndjson)$/i.exec(fileName)?.[1]?.toLowerCase();
  return FORMATS.find((format) => format === extension);
}

function formatOf(contentType = ''): TransferFormat {
  if (contentType.startsWith('application/x-ndjson')) return 'ndjson';
  return contentType.startsWith('application/json') ? 'json' : 'csv';
}

/**
 * The results of a bulk call. Where the answer would become too large, violations of the last operations are left out: the call
 * cannot be refused any more, as its other operations were carried out.
 */
function toBulkResults(results: readonly BulkResult[]) {
  let room = MAX_VIOLATION_BYTES;
  return results.map(({ error, ...result }) => {
    if (!error) return result;
    const { code, extensions, errors } = error;
    const detail = error.detail.slice(0, MAX_DETAIL).toWellFormed();
    room -= errors.length > 0 ? Buffer.byteLength(JSON.stringify(errors)) : 0;
    const more =
      errors.length === 0 ? {} : room >= 0 ? { errors } : { detail: detail + LEFT_OUT_RULES };
    return { ...result, error: { ...extensions, code, detail, ...more } };
  });
}
