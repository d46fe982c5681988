import type { Route } from '../../../shared/http/route.ts';
import type { EditorConfig } from '../configuration.ts';
import { pluginRoutes } from '../plugin/plugin-routes.ts';
import { type EditorRouteServices, editorRoutes } from './editor-routes.ts';
import { type FileRouteServices, fileRoutes } from './file-routes.ts';

export type DocsRouteServices = EditorRouteServices & FileRouteServices;

/** Routes of the document editor. */
export const docsRoutes = (
  services: DocsRouteServices,
  config: Pick<EditorConfig, 'docs' | 'web'>,
): Route[] => [...editorRoutes(services), ...fileRoutes(services, config), ...pluginRoutes(config)];
