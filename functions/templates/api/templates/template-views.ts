import type { Template } from '../../domain/documents/template.ts';

/** Maps a template to its answer. */
export const toTemplate = ({
  tenant: _tenant,
  entityType,
  description,
  file,
  numberPattern,
  ...template
}: Template) => ({
  ...template,
  entityType: entityType ?? null,
  description: description ?? null,
  numberPattern: numberPattern ?? null,
  file: file ?? null,
});
