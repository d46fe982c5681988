import type { Files } from '../../../shared/files/files.ts';
import type { IdGenerator } from '../../../shared/primitives/ids.ts';
import type { Principal } from '../../../shared/security/principal.ts';
import type { GenerationWarning, OutputFormat } from '../domain/documents/generation.ts';
import { outputName, previewPath } from '../domain/documents/generation.ts';
import { sourceOf } from './document-source.ts';
import type { DocumentRequest, Preparation } from './preparation.ts';
import type { DocumentWriters } from './writing/document-writer.ts';

/** A document that is looked at, and kept for a day. */
export interface Preview {
  readonly fileUrl: string;
  readonly fileName: string;
  readonly format: OutputFormat;
  readonly warnings: readonly GenerationWarning[];
}

interface PreviewServiceDependencies {
  readonly preparation: Preparation;
  readonly writers: DocumentWriters;
  readonly files: Files;
  readonly ids: IdGenerator;
  readonly linkSeconds: number;
}

/** Previews a document: no generation, no number, and names in place of missing values. */
export class PreviewService {
  readonly #deps: PreviewServiceDependencies;

  constructor(dependencies: PreviewServiceDependencies) {
    this.#deps = dependencies;
  }

  /** @throws Problem as `Preparation.prepare`, required fields aside; or why it cannot be rendered */
  async preview(
    templateId: string,
    request: DocumentRequest,
    principal: Principal,
  ): Promise<Preview> {
    const { preparation, writers, files, ids, linkSeconds } = this.#deps;
    const prepared = await preparation.prepare(templateId, request, principal, {
      requiresValues: false,
    });
    const { template, settings, nowMs } = prepared;
    const { outputFormat: format, entityId } = request;
    const writer = writers[format];
    if (!writer) throw new Error(`Nothing writes ${format}`);
    const fileName = outputName({ code: template.code, entityId, format }, nowMs, settings.zone);
    const path = previewPath({ templateId, id: ids(), format });
    const source = sourceOf(prepared, { fileName }, { showsMissing: true });
    const { contentType, warnings } = await writer.write(path, source);
    const link = { fileName, contentType, expiresInSeconds: linkSeconds };
    return {
      ...{ fileName, format, warnings: [...prepared.warnings, ...warnings] },
      fileUrl: await files.downloadLink(path, link),
    };
  }
}
