import type { FileRouteServices as LinkRouteServices } from '../../../shared/files/file-routes.ts';
import { fileRoutes as linkRoutes } from '../../../shared/files/file-routes.ts';
import type { Route } from '../../../shared/http/route.ts';
import type { TemplatesConfig } from '../configuration.ts';
import { LINKS_PATH } from '../paths.ts';
import { type BatchRouteServices, batchRoutes } from './batches/batch-routes.ts';
import { type BuiltinRouteServices, builtinRoutes } from './builtins/builtin-routes.ts';
import { type FieldRouteServices, fieldRoutes } from './files/field-routes.ts';
import { type FileRouteServices, fileRoutes } from './files/file-routes.ts';
import { type GenerationRouteServices, generationRoutes } from './generations/generation-routes.ts';
import { type PreviewRouteServices, previewRoutes } from './generations/preview-routes.ts';
import { type TemplateRouteServices, templateRoutes } from './templates/template-routes.ts';

export type TemplatesRouteServices = TemplateRouteServices &
  FileRouteServices &
  FieldRouteServices &
  BuiltinRouteServices &
  GenerationRouteServices &
  PreviewRouteServices &
  BatchRouteServices &
  LinkRouteServices;

/** Routes of the templates module. */
export const templatesRoutes = (
  services: TemplatesRouteServices,
  config: Pick<TemplatesConfig, 'web' | 'template'>,
): Route[] => [
  ...templateRoutes(services, config),
  ...fileRoutes(services, config),
  ...fieldRoutes(services),
  ...generationRoutes(services, config),
  ...previewRoutes(services),
  ...batchRoutes(services, config),
  ...builtinRoutes(services, config),
  ...linkRoutes(LINKS_PATH, 'Templates', services),
];
