export type {
  DocsEditorAuthorizationService,
  DocsEditorMode,
  DocsEditorPermissionResolver,
  DocsEditorPermissions,
  DocsEditorQuery,
} from '../../shared/ports/documents.ts';
export { docsSection, type EditorConfig } from './configuration.ts';
export { createEditorModule, type EditorModule } from './module.ts';
export type { EditorConfigResponse } from './opening/editor-opening.ts';
