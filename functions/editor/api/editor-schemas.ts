import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { fileIdFault } from '../domain/file-id.ts';
import { EDITOR_MODES } from '../domain/modes.ts';

const TEMPLATE_TYPES = ['TYPE_1', 'TYPE_2', 'TYPE_3'] as const;

/** A text that people and programs read: no control characters, no half characters. */
const plainText = (most: number, what: string) =>
  z.string().min(1).max(most).refine(isPlain, 'must not hold control characters').describe(what);

export const documentId = lazy(() =>
  plainText(256, 'Id of the business document; it is part of events and sessions.'),
);

const fileId = lazy(() =>
  z
    .string()
    .superRefine((value, context) => {
      const message = fileIdFault(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .meta({ minLength: 1, maxLength: 1_024 })
    .describe('Path of the file in the storage, such as documents/contract.docx.'),
);

/** What names a document. */
export const documentQuery = lazy(() => ({
  fileId: fileId(),
  fileName: plainText(255, 'Name of the file; its extension says which editor opens it.'),
  documentId: documentId(),
  templateType: z
    .enum(TEMPLATE_TYPES)
    .optional()
    .describe('Type of the template: with it the editor has the plugin of merge fields.'),
}));

export const editorQuery = lazy(() =>
  z.strictObject({
    ...documentQuery(),
    mode: z
      .enum(EDITOR_MODES)
      .default('edit')
      .describe('What the user is going to do; a document that cannot be changed is viewed.'),
  }),
);

const permissions = lazy(() =>
  z.object(
    Object.fromEntries(
      [
        ...['edit', 'review', 'comment', 'fillForms', 'download', 'print', 'copy'],
        ...['modifyFilter', 'modifyContentControl', 'chat', 'protect'],
      ].map((name) => [name, z.boolean()]),
    ),
  ),
);

const documentPart = lazy(() =>
  z.object({
    fileType: z.string(),
    key: z.string().describe('The same for everybody who edits together.'),
    title: z.string(),
    url: z.string().describe('Where the editing server downloads the document.'),
    referenceData: z.object({ fileKey: z.string(), instanceId: z.string() }),
    permissions: permissions(),
  }),
);

const editorPart = lazy(() =>
  z.object({
    mode: z.enum(['edit', 'view']),
    lang: z.string(),
    region: z.string(),
    callbackUrl: z.string().optional().describe('Where saves go; not for viewers.'),
    user: z.object({ id: z.string(), name: z.string() }),
    coEditing: z.looseObject({}),
    customization: z.looseObject({}),
    plugins: z.looseObject({}).optional(),
  }),
);

export const editorConfig = lazy(() =>
  z
    .object({
      documentServerUrl: z.string(),
      apiJsUrl: z.string().describe('Script that the page loads before it opens the editor.'),
      documentType: z.enum(['word', 'cell', 'slide', 'pdf', 'diagram']),
      type: z.enum(['desktop', 'mobile', 'embedded']),
      width: z.string(),
      height: z.string(),
      document: documentPart(),
      editorConfig: editorPart(),
      token: z.string().describe('JWT (HS256) over all of it.'),
    })
    .meta({ id: 'EditorConfigResponse' }),
);

const isPlain = (value: string): boolean => value.isWellFormed() && !/\p{Cc}/u.test(value);
