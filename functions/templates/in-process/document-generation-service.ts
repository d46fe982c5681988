import { toPage } from '../../../shared/http/paging.ts';
import type {
  DocumentGenerationService,
  GeneratedDocument,
} from '../../../shared/ports/templates.ts';
import type { OnDemand } from '../../../shared/primitives/once.ts';
import { apart } from '../../../shared/store/unit-of-work.ts';
import { checkedContent } from '../api/approved/checked-content.ts';
import { toEntry, toGeneration } from '../api/generations/generation-views.ts';
import type { ApprovedDocuments } from '../approved/approved-documents.ts';
import { codesOf, type Generation } from '../domain/documents/generation.ts';
import type { GenerationLifecycle } from '../generations/generation-lifecycle.ts';
import type { GenerationService } from '../generations/generation-service.ts';
import type { PreviewService } from '../generations/preview-service.ts';
import type { EditorUrl } from '../values/editor-links.ts';

interface DocumentGenerationDependencies {
  readonly generationService: OnDemand<GenerationService>;
  readonly lifecycle: OnDemand<GenerationLifecycle>;
  readonly previewService: OnDemand<PreviewService>;
  readonly approvedDocuments: OnDemand<ApprovedDocuments>;
  readonly editorUrl: EditorUrl;
  readonly pageSize: number;
}

/** Documents for other modules and hosts. */
export function documentGenerationService({
  generationService,
  lifecycle,
  previewService,
  approvedDocuments,
  editorUrl,
  pageSize,
}: DocumentGenerationDependencies): DocumentGenerationService {
  const shown = async (generation: Generation): Promise<GeneratedDocument> =>
    toGeneration({ generation, fileUrl: await lifecycle.link(generation), editorUrl });
  return {
    // What is rendered between its states must be seen by others: no unit around it may hold them back.
    generateDocument: (templateId, order, principal) =>
      apart(async () =>
        shown((await generationService.generate(templateId, order, principal)).generation),
      ),
    async previewDocument(templateId, { idempotencyKey: _key, ...order }, principal) {
      const { warnings, ...made } = await previewService.preview(templateId, order, principal);
      return { ...made, warningCodes: codesOf(warnings) };
    },
    async getGenerationHistory(templateId, { entityId, size = pageSize, ...page }, principal) {
      const call = { ...page, size };
      const found = await lifecycle.list(templateId, { entityId }, call, principal);
      return toPage({ ...found, content: found.content.map(toEntry) });
    },
    finalizeGeneration: async (templateId, id, principal) =>
      shown(await lifecycle.finalize(templateId, id, principal)),
    renderApprovedContent: async (content, principal) =>
      approvedDocuments.render(checkedContent(content), principal),
    cancelGeneration: async (templateId, id, principal) =>
      shown(await lifecycle.cancel(templateId, id, principal)),
  };
}
