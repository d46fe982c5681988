export type {
  DocsEditorAuthorizationService,
  DocsEditorMode,
  DocsEditorPermissionResolver,
  DocsEditorPermissions,
  DocsEditorQuery,
} from '../../shared/ports/documents.ts';
export { docsSection, type EditorConfig } from './configuration.ts';
export {
  DOCS_TOPICS,
  type SavedPayload,
  type SaveFailedPayload,
  type SaveFailedPayload as DocsDocumentSaveFailedEvent,
} from './events.ts';
export { createEditorModule, type EditorModule } from './module.ts';
export type { EditorConfigResponse } from './opening/editor-opening.ts';
export { type DocsDocumentSavedEvent, docsDocumentSavedListener } from './saved-listener.ts';
