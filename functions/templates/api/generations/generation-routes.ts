import { toPage } from '../../../../shared/http/paging.ts';
import { accepted, created, ok, preferenceApplied } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { TemplatesConfig } from '../../configuration.ts';
import { type Generation, isOpen } from '../../domain/documents/generation.ts';
import { problems } from '../../errors.ts';
import type { GenerationLifecycle } from '../../generations/generation-lifecycle.ts';
import type { GenerationService } from '../../generations/generation-service.ts';
import type { DeferredDocuments } from '../../jobs/deferred-documents.ts';
import { GENERATION_PATH, GENERATIONS_PATH, TEMPLATE_PATH } from '../../paths.ts';
import type { EditorUrl } from '../../values/editor-links.ts';
import { pageOf } from '../templates/template-examples.ts';
import { templateParams } from '../templates/template-schemas.ts';
import { DOCUMENT_PROBLEMS } from './document-problems.ts';
import { documentOf } from './document-request.ts';
import * as examples from './generation-examples.ts';
import * as schemas from './generation-schemas.ts';
import { toEntry, toGeneration } from './generation-views.ts';

export interface GenerationRouteServices {
  readonly generationService: OnDemand<GenerationService>;
  readonly lifecycle: OnDemand<GenerationLifecycle>;
  readonly deferredDocuments: OnDemand<DeferredDocuments>;
  readonly editorUrl: EditorUrl;
}

const tag = 'Generated documents';
const access = permission('template:generation');
const generation = {
  description: 'The generation',
  schema: schemas.generation,
  example: examples.generation,
};

/** Routes of generations. */
export function generationRoutes(
  { generationService, lifecycle, deferredDocuments, editorUrl }: GenerationRouteServices,
  { web }: Pick<TemplatesConfig, 'web'>,
): Route[] {
  const shown = async (found: Generation) =>
    toGeneration({
      generation: found,
      fileUrl: await lifecycle.link(found),
      editorUrl,
    });
  return [
    route({
      operationId: 'generateDocument',
      method: 'POST',
      path: `${TEMPLATE_PATH}/generate`,
      summary: 'Generates a document from a template',
      description:
        'One generation for each idempotencyKey or Idempotency-Key: a repeated call gives its result, waits for it, or takes over what was interrupted. With `Prefer: respond-async` the answer comes before the document: poll the generation until it is GENERATED or FAILED.',
      ...{ tag, access },
      params: templateParams,
      body: schemas.generateBody,
      bodyExample: examples.request,
      maxBodyBytes: schemas.MAX_GENERATE_BODY_BYTES,
      idempotent: 'own',
      deferrable: true,
      responses: {
        201: { ...generation, headers: { location: 'The generation.' } },
        200: {
          ...generation,
          description: 'The generation of an earlier call with the same key',
          headers: { 'idempotency-replayed': 'Always true.' },
        },
        202: {
          ...generation,
          description: 'The generation to poll, for a caller who prefers not to wait',
          headers: {
            location: 'The generation.',
            'preference-applied': 'Always respond-async.',
            'idempotency-replayed': 'true when an earlier call with the same key has started it.',
          },
        },
      },
      problems: [
        ...DOCUMENT_PROBLEMS,
        problems.requiredFieldMissing,
        problems.generationInProgress,
        problems.generationCancelled,
      ],
      handle: async ({ params: { templateId }, body, principal, idempotency, respondAsync }) => {
        const request = { ...documentOf(body), idempotencyKey: body.idempotencyKey ?? undefined };
        const { generation: made, isReplay } = respondAsync
          ? await deferredDocuments.start(templateId, request, principal, idempotency)
          : await generationService.generate(templateId, request, principal, {
              header: idempotency,
            });
        const location = `/api/v1/templates/${templateId}/generations/${made.id}`;
        const replayed = isReplay ? { 'idempotency-replayed': 'true' } : undefined;
        const answer = await shown(made);
        if (isOpen(made)) return accepted(answer, { ...preferenceApplied, location, ...replayed });
        return isReplay ? ok(answer, replayed) : created(location, answer);
      },
    }),
    route({
      operationId: 'listGenerations',
      method: 'GET',
      path: GENERATIONS_PATH,
      summary: 'Lists the generations of a template, newest first',
      ...{ tag, access },
      params: templateParams,
      query: () => schemas.listQuery(web),
      responses: {
        200: {
          description: 'A page of generations',
          schema: schemas.generationPage,
          example: pageOf(examples.listed),
        },
      },
      problems: [problems.templateNotFound],
      handle: async ({ params: { templateId }, query, principal }) => {
        const { status, entityType, entityId, ...page } = query;
        const filter = { status, entityType, entityId };
        const found = await lifecycle.list(templateId, filter, page, principal);
        return ok(toPage({ ...found, content: found.content.map(toEntry) }));
      },
    }),
    route({
      operationId: 'getGeneration',
      method: 'GET',
      path: GENERATION_PATH,
      summary: 'Reads a generation, with a fresh link to its file',
      ...{ tag, access },
      params: schemas.generationParams,
      responses: { 200: generation },
      problems: [problems.generationNotFound],
      handle: async ({ params: { templateId, generationId }, principal }) =>
        ok(await shown(await lifecycle.poll(templateId, generationId, principal))),
    }),
    route({
      operationId: 'finalizeGeneration',
      method: 'PUT',
      path: `${GENERATION_PATH}/finalize`,
      summary: 'Finalizes a generated document; from then on it stays as it is',
      ...{ tag, access },
      params: schemas.generationParams,
      responses: { 200: generation },
      problems: [problems.generationNotFound, problems.generationNotReady],
      handle: async ({ params: { templateId, generationId }, principal }) =>
        ok(await shown(await lifecycle.finalize(templateId, generationId, principal))),
    }),
    route({
      operationId: 'cancelGeneration',
      method: 'PUT',
      path: `${GENERATION_PATH}/cancel`,
      summary: 'Cancels a generation and deletes its file',
      ...{ tag, access },
      params: schemas.generationParams,
      responses: { 200: generation },
      problems: [problems.generationNotFound, problems.generationFinalized],
      handle: async ({ params: { templateId, generationId }, principal }) =>
        ok(await shown(await lifecycle.cancel(templateId, generationId, principal))),
    }),
  ];
}
