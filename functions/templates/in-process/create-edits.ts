import { createFiles } from '../../../shared/files/create-files.ts';
import type { ServiceContext } from '../../../shared/lambda/module-context.ts';
import { publicUrl } from '../../../shared/primitives/public-url.ts';
import { FileService } from '../catalog/file-service.ts';
import { FileVersions } from '../catalog/file-versions.ts';
import { TemplateCatalog } from '../catalog/template-catalog.ts';
import { AnnouncedFiles } from '../store/announced-files.ts';
import { EndedDocuments } from '../store/ended-documents.ts';
import { FILE_LINKS } from '../store/file-links.ts';
import { FileRepository } from '../store/file-repository.ts';
import { GenerationRepository } from '../store/generation-repository.ts';
import { TemplateRepository } from '../store/template-repository.ts';
import { linkSecondsOf } from '../values/link-seconds.ts';
import { StoredEdits } from './edited-documents.ts';

/** What stores edited documents, without all that would generate them. */
export function createEdits(context: ServiceContext): { readonly edits: StoredEdits } {
  const baseUrl = () => publicUrl(context.config.web);
  const { files } = createFiles(context, { ...FILE_LINKS, baseUrl });
  const repository = new TemplateRepository(context);
  const fileRepository = new FileRepository(context);
  const endedDocuments = new EndedDocuments(context);
  const catalog = new TemplateCatalog({ ...context, repository, endedDocuments });
  const announced = new AnnouncedFiles(context);
  const stores = { ...context, catalog, endedDocuments, fileRepository, announced, files };
  const fileService = new FileService({
    ...{ ...stores, versions: new FileVersions(stores) },
    linkSeconds: linkSecondsOf(context.environment),
  });
  const generations = new GenerationRepository(context);
  const machine = context.tenantClock.machine;
  return { edits: new StoredEdits({ ...stores, repository, fileService, generations, machine }) };
}
