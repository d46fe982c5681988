import { ok } from '../../../../shared/http/reply.ts';
import { permission, type Route, route } from '../../../../shared/http/route.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import { codesOf } from '../../domain/documents/generation.ts';
import type { PreviewService } from '../../generations/preview-service.ts';
import { TEMPLATE_PATH } from '../../paths.ts';
import { templateParams } from '../templates/template-schemas.ts';
import { DOCUMENT_PROBLEMS } from './document-problems.ts';
import { documentOf } from './document-request.ts';
import * as examples from './generation-examples.ts';
import * as schemas from './generation-schemas.ts';

export interface PreviewRouteServices {
  readonly previewService: OnDemand<PreviewService>;
}

/** Routes of previews. */
export const previewRoutes = ({ previewService }: PreviewRouteServices): Route[] => [
  route({
    operationId: 'previewDocument',
    method: 'POST',
    path: `${TEMPLATE_PATH}/preview`,
    summary: 'Previews a document',
    description:
      'Makes no generation and takes no number; «name» stands for fields without a value. The file is kept for a day.',
    tag: 'Generated documents',
    access: permission('template:generation'),
    params: templateParams,
    body: schemas.previewBody,
    bodyExample: { outputFormat: 'DOCX', entityData: { ho_ten: 'Nguyễn Văn An' } },
    maxBodyBytes: schemas.MAX_GENERATE_BODY_BYTES,
    responses: {
      200: { description: 'The preview', schema: schemas.preview, example: examples.preview },
    },
    problems: DOCUMENT_PROBLEMS,
    handle: async ({ params: { templateId }, body, principal }) => {
      const made = await previewService.preview(templateId, documentOf(body), principal);
      return ok({
        ...made,
        warningCodes: codesOf(made.warnings),
      });
    },
  }),
];
