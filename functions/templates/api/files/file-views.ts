import type { FieldList, FileInspection, ListedField } from '../../catalog/field-service.ts';
import type { FileVersion } from '../../domain/documents/template-file.ts';

/** Maps a version of a file to its answer. */
export const toFileVersion = (templateId: string, file: FileVersion) => {
  const { fileVersion, fileName, fileSize, fileHash, origin, warnings } = file;
  return {
    ...{ templateId, fileVersion, fileName, fileSize, fileHash, origin },
    restoredFrom: file.restoredFrom ?? null,
    ...{ warnings, createdAt: file.createdAt, createdBy: file.createdBy },
  };
};

function toField({ name, declared, occurrences }: ListedField) {
  return {
    name,
    label: declared?.label ?? null,
    sourceType: declared?.sourceType ?? null,
    sourceRef: declared?.sourceRef ?? null,
    expression: declared?.expression ?? null,
    dataType: declared?.dataType ?? 'STRING',
    format: declared?.format ?? null,
    required: declared?.required ?? false,
    defaultValue: declared?.defaultValue ?? null,
    lockedInOutput: declared?.lockedInOutput ?? false,
    bound: declared !== undefined,
    occurrences,
  };
}

/** Maps the merge fields of a template to their answer. */
export const toFieldList = ({ templateId, version, fileVersion, fields }: FieldList) => ({
  ...{ templateId, version, fileVersion: fileVersion ?? null },
  fields: fields.map(toField),
});

/** Maps an uploaded file to its answer. */
export const toUploaded = (file: FileVersion, { templateId, fields }: FieldList) => {
  const { fileVersion, fileName, fileSize, fileHash, warnings } = file;
  return {
    ...{ templateId, fileVersion, fileName, fileSize, fileHash },
    ...{ fields: fields.map(toField), warnings },
  };
};

/** Maps what a file has to its answer. */
export const toInspection = (templateId: string, found: FileInspection) => {
  const { file, inspection, unbound, unused } = found;
  const { fileVersion, fileHash, warnings } = file;
  return {
    ...{ templateId, fileVersion, fileHash, normalized: true },
    ...{ ...inspection, unbound, unused, warnings },
  };
};
