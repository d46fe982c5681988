export type {
  ApprovedBlock,
  ApprovedContent,
  DocumentGenerationService,
  DocumentOrder,
  DocumentTemplate,
  EditedDocument,
  EditedDocuments,
  EditorSave,
  GeneratedDocument,
  PreviewedDocument,
  RenderedContent,
  StoredSave,
  TemplateDetails,
  TemplateFileFacts,
  TemplateQuery,
  TemplateService,
} from '../../shared/ports/templates.ts';
export { approvalHashOf } from './approved/approved-content.ts';
export { type TemplatesConfig, templateSection } from './configuration.ts';
export { GENERATION_TOPICS, type GenerationEvent } from './events.ts';
export { createTemplatesModule, type TemplatesModule } from './module.ts';
export { documentsPort, editedDocumentsPort, templatesPort } from './port.ts';
