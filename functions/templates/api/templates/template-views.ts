import type { Template } from '../../domain/documents/template.ts';
import type { EditorUrl } from '../../values/editor-links.ts';

/** Maps a template to its answer. */
export function toTemplate(
  { tenant: _tenant, entityType, description, file, numberPattern, ...template }: Template,
  editorUrl: EditorUrl,
) {
  const { path, ...current } = file ?? {};
  const { id: documentId, type: templateType, status } = template;
  const docsEditUrl =
    file && path !== undefined && status === 'ACTIVE'
      ? editorUrl({ fileId: path, fileName: file.fileName, documentId, templateType, mode: 'edit' })
      : undefined;
  return {
    ...template,
    entityType: entityType ?? null,
    description: description ?? null,
    numberPattern: numberPattern ?? null,
    file: file ? current : null,
    ...(docsEditUrl !== undefined && { docsEditUrl }),
  };
}
