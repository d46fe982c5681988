import type { Route } from '../../../shared/http/route.ts';
import type { EditorConfig } from '../configuration.ts';
import { pluginRoutes } from '../plugin/plugin-routes.ts';
import { type CallbackRouteServices, callbackRoutes } from './callback-routes.ts';
import { type EditorRouteServices, editorRoutes } from './editor-routes.ts';
import { type FileRouteServices, fileRoutes } from './file-routes.ts';
import { type SessionRouteServices, sessionRoutes } from './session-routes.ts';
import { type VersionRouteServices, versionRoutes } from './version-routes.ts';

export type DocsRouteServices = EditorRouteServices &
  FileRouteServices &
  CallbackRouteServices &
  SessionRouteServices &
  VersionRouteServices;

/** Routes of the document editor. */
export const docsRoutes = (
  services: DocsRouteServices,
  config: Pick<EditorConfig, 'docs' | 'web'>,
): Route[] => [
  ...editorRoutes(services),
  ...fileRoutes(services, config),
  ...callbackRoutes(services, config),
  ...sessionRoutes(services, config),
  ...versionRoutes(services),
  ...pluginRoutes(config),
];
