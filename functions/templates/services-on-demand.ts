import { createFiles } from '../../shared/files/create-files.ts';
import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { allOnDemand, once } from '../../shared/primitives/once.ts';
import { publicUrl } from '../../shared/primitives/public-url.ts';
import type { TemplatesConfig } from './configuration.ts';
import type { OtherModules } from './services.ts';
import { FILE_LINKS } from './store/file-links.ts';
import { editorLinks } from './values/editor-links.ts';

export type ServicesOnDemand = ReturnType<typeof servicesOnDemand>;

/** All services of the module, read with the first call of one of them: a start needs their routes only. */
export function servicesOnDemand(context: ServiceContext<TemplatesConfig>, others: OtherModules) {
  const load = once(async () => (await import('./services.ts')).createServices(context, others));
  const services = allOnDemand(load);
  const { catalog, copies, creation, fileService, fieldService, builtinService } = services;
  const { fileSweep } = services;
  const { generationService, lifecycle, previewService, generationSweep } = services;
  const { readerTokens, deferredDocuments, batchService, approvedDocuments, jobs } = services;
  const baseUrl = () => publicUrl(context.config.web);
  const { files, links } = createFiles(context, { ...FILE_LINKS, baseUrl });
  return {
    ...{ catalog, copies, fileService, fieldService, builtinService, files, links },
    ...{ creation, fileSweep, editorUrl: editorLinks(context) },
    ...{ generationService, lifecycle, previewService, generationSweep },
    ...{ readerTokens, deferredDocuments, batchService, approvedDocuments, jobs },
  };
}
