import type { ServiceContext } from '../../shared/lambda/module-context.ts';
import { TemplateCatalog } from './catalog/template-catalog.ts';
import type { TemplatesConfig } from './configuration.ts';
import { TemplateRepository } from './store/template-repository.ts';

/** All services of the module. */
export function createServices(context: ServiceContext<TemplatesConfig>) {
  const repository = new TemplateRepository(context);
  return { catalog: new TemplateCatalog({ ...context, repository }) };
}
