import type { PlatformConfig } from '../../../shared/config/index.ts';
import type { Route } from '../../../shared/http/route.ts';
import { type TemplateRouteServices, templateRoutes } from './templates/template-routes.ts';

export type TemplatesRouteServices = TemplateRouteServices;

/** Routes of the templates module. */
export const templatesRoutes = (
  services: TemplatesRouteServices,
  config: Pick<PlatformConfig, 'web'>,
): Route[] => [...templateRoutes(services, config)];
