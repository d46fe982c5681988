import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { encodedDocumentId } from './document-id.ts';
import { documentQuery } from './editor-schemas.ts';

export const listParams = lazy(() => z.object({ documentId: encodedDocumentId() }));

export const versionParams = lazy(() =>
  z.object({
    documentId: encodedDocumentId(),
    version: z
      .string()
      .regex(/^[1-9]\d{0,7}$/, 'must be a number from 1')
      .transform(Number)
      .describe('Number of the version.'),
  }),
);

export const versionQuery = lazy(() => {
  const { fileId, fileName } = documentQuery();
  return z.strictObject({
    fileId: fileId.optional().describe('Default: the file that the document was opened with last.'),
    fileName: fileName.optional(),
  });
});

const shownVersion = lazy(() =>
  z.object({
    version: z.int(),
    key: z.string(),
    created: z.string().describe('In UTC; empty when it is not known.'),
    user: z
      .object({ id: z.string(), name: z.string() })
      .optional()
      .describe('Who changed it last; not of a document that was put from outside.'),
    serverVersion: z.string().optional(),
    changes: z.array(z.unknown()).optional().describe('As the editing server has sent them.'),
  }),
);

export const documentHistory = lazy(() =>
  z
    .object({
      fileId: z.string().describe('Where the document lies now.'),
      currentVersion: z.int(),
      history: z.array(shownVersion()).describe('Oldest first.'),
    })
    .meta({ id: 'DocsHistory' }),
);

const openedVersion = lazy(() =>
  z.object({ fileType: z.string(), key: z.string(), url: z.string() }),
);

export const versionData = lazy(() =>
  openedVersion()
    .extend({
      version: z.int(),
      previous: openedVersion().optional(),
      changesUrl: z
        .string()
        .optional()
        .describe('Where the changes since the previous version are, if they are known.'),
      token: z.string().describe('JWT (HS256) over all of it.'),
    })
    .meta({ id: 'DocsVersionData' }),
);

const user = { id: 'lan', name: 'Lan' };

export const exampleHistory = {
  fileId: 'documents/contract.docx',
  currentVersion: 2,
  history: [
    { version: 1, key: 'dK3c.1', created: '2026-03-01 09:30:00' },
    {
      ...{ version: 2, key: 'dK3c.2', created: '2026-03-01 09:45:00', user },
      serverVersion: '9.0.4',
      changes: [{ created: '2026-03-01 09:44:10', user }],
    },
  ],
};

const url = (version: number) =>
  `https://api.example.com/api/v1/docs/file/documents/contract.docx?accessToken=eyJ${version}`;

export const exampleVersion = {
  ...{ fileType: 'docx', key: 'dK3c.2', url: url(2), version: 2 },
  previous: { fileType: 'docx', key: 'dK3c.1', url: url(1) },
  token: 'eyJ',
};
