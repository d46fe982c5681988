/** The file that a template generates from. */
export interface CurrentFile {
  readonly fileVersion: number;
  readonly fileName: string;
  /** Bytes of the stored file. */
  readonly fileSize: number;
  /** SHA-256 of the stored file in hexadecimal. */
  readonly fileHash: string;
  /** Path of the file; absent in items of earlier versions of the platform. */
  readonly path?: string | undefined;
}

/** How a version of a file came about. */
export type FileOrigin = 'UPLOAD' | 'RESTORE' | 'COPY' | 'EDITOR';

/** A merge field that a file has, in its first spelling. */
export interface FoundField {
  readonly name: string;
  readonly occurrences: number;
}

/** What was changed in a file, or stands out in it. */
export interface FileWarning {
  readonly code: string;
  readonly part: string;
  readonly paragraph?: number;
  readonly field?: string;
}

/** One version of the file of a template: its merge fields are normalised, and what is external is removed. */
export interface FileVersion extends CurrentFile {
  readonly path: string;
  /** Where the markers of the file as it was uploaded are described. */
  readonly inspectionPath: string;
  readonly found: readonly FoundField[];
  /** Names that parts of the file are repeated or shown by; earlier versions of the platform have not kept them. */
  readonly sections?: readonly string[] | undefined;
  readonly warnings: readonly FileWarning[];
  readonly origin: FileOrigin;
  /** The version that was restored. */
  readonly restoredFrom?: number;
  readonly createdAt: string;
  readonly createdBy: string;
}

export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** Paths of a version. @param part keeps two uploads apart that meet in one number */
export const filePaths = (templateId: string, fileVersion: number, part: string) => {
  const name = `${templateId}/${fileVersion}-${part}`;
  return {
    path: `documents/templates/${name}.docx`,
    inspectionPath: `templates/inspections/${name}.json`,
  };
};

/** The version that a path of `filePaths` is of; `undefined` for other paths. */
export function fileVersionOf(path: string): number | undefined {
  const [, version] = /\/(\d{1,9})-[^/]+\.docx$/.exec(path) ?? [];
  return version === undefined ? undefined : Number(version);
}
