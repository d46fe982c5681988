import { toPage } from '../../../../shared/http/paging.ts';
import { accepted, ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { BatchService } from '../../batches/batch-service.ts';
import type { TemplatesConfig } from '../../configuration.ts';
import { problems } from '../../errors.ts';
import type { TemplateJob } from '../../jobs/template-jobs.ts';
import { BATCH_PATH, BATCHES_PATH, TEMPLATES_PATH } from '../../paths.ts';
import { pageOf } from '../templates/template-examples.ts';
import { templateParams } from '../templates/template-schemas.ts';
import * as examples from './batch-examples.ts';
import { batchOf } from './batch-request.ts';
import * as schemas from './batch-schemas.ts';
import { toBatch, toResult } from './batch-views.ts';

export interface BatchRouteServices {
  readonly batchService: OnDemand<BatchService>;
}

const tag = 'Generated documents';
const access = permission('template:generation');
const batch = { description: 'The batch', schema: schemas.batch, example: examples.batch };

/** Routes of documents for many records. */
export function batchRoutes(
  { batchService }: BatchRouteServices,
  { web }: Pick<TemplatesConfig, 'web'>,
): Route[] {
  const shown = async (job: TemplateJob) => toBatch(job, await batchService.link(job));
  return [
    route({
      operationId: 'startBatch',
      method: 'POST',
      path: BATCHES_PATH,
      summary: 'Generates a document for each of up to 500 records',
      description:
        'A job generates them in the order of the records, with values that the caller may see, and puts them into one file. What is wrong with one record stops none of the others.',
      ...{ tag, access },
      params: templateParams,
      body: schemas.batchBody,
      bodyExample: examples.request,
      maxBodyBytes: schemas.MAX_BATCH_BODY_BYTES,
      idempotent: true,
      responses: { 202: { ...batch, headers: { location: 'The batch.' } } },
      problems: [
        problems.templateNotFound,
        problems.fileVersionNotFound,
        problems.templateNotActive,
        problems.templateFileMissing,
        problems.pdfNotAvailable,
        problems.pdfOptionNotSupported,
      ],
      handle: async ({ params: { templateId }, body, principal }) => {
        const job = await batchService.start(templateId, batchOf(body), principal);
        const location = `${TEMPLATES_PATH}/${templateId}/batches/${job.id}`;
        return accepted(await shown(job), { location });
      },
    }),
    route({
      operationId: 'getBatch',
      method: 'GET',
      path: BATCH_PATH,
      summary: 'Returns the progress of a batch, with a link to its file',
      description: 'A batch is kept for a week after its end; its documents stay.',
      ...{ tag, access },
      params: schemas.batchParams,
      responses: { 200: batch },
      problems: [problems.templateNotFound, problems.batchNotFound],
      handle: async ({ params: { templateId, batchId }, principal }) =>
        ok(await shown(await batchService.get(templateId, batchId, principal))),
    }),
    route({
      operationId: 'listBatchResults',
      method: 'GET',
      path: `${BATCH_PATH}/results`,
      summary: 'Lists the results of the records of a batch, in their order',
      ...{ tag, access },
      params: schemas.batchParams,
      query: () => schemas.resultsQuery(web),
      responses: {
        200: {
          description: 'A page of results',
          schema: schemas.resultPage,
          example: pageOf(examples.result),
        },
      },
      problems: [problems.templateNotFound, problems.batchNotFound],
      handle: async ({ params: { templateId, batchId }, query, principal }) => {
        const found = await batchService.results(templateId, batchId, query, principal);
        return ok(toPage({ ...found, content: found.content.map(toResult) }));
      },
    }),
    route({
      operationId: 'cancelBatch',
      method: 'PUT',
      path: `${BATCH_PATH}/cancel`,
      summary: 'Cancels a batch; generated documents remain',
      ...{ tag, access },
      params: schemas.batchParams,
      responses: { 200: { ...batch, example: { ...examples.batch, state: 'CANCELLING' } } },
      problems: [problems.templateNotFound, problems.batchNotFound, problems.batchEnded],
      handle: async ({ params: { templateId, batchId }, principal }) =>
        ok(await shown(await batchService.cancel(templateId, batchId, principal))),
    }),
  ];
}
