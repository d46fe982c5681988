import * as z from 'zod';
import { pageSchema } from '../../../shared/http/paging.ts';
import { lazy } from '../../../shared/primitives/lazy.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));

const lastSave = lazy(() =>
  z.object({
    at: instant(),
    status: z.int().describe('2 ended, 6 saved while it is edited, 3 rescued.'),
    userId: z.string().nullable(),
    path: z.string().describe('Where the document lies.'),
    sizeBytes: z.int(),
    hash: z.string().describe('SHA-256 of what is stored.'),
    conflict: z.boolean().describe('Whether it is a copy beside the document.'),
    warnings: z.array(z.string()),
  }),
);

const failure = lazy(() => z.object({ at: instant(), status: z.int(), reason: z.string() }));

const recovery = lazy(() =>
  z.object({
    reason: z.string().describe('Why it could not be stored at last: stable code.'),
    tries: z.int(),
    nextTryAt: instant(),
  }),
);

const session = lazy(() =>
  z
    .object({
      key: z.string(),
      fileId: z.string(),
      fileName: z.string(),
      documentId: z.string(),
      state: z
        .enum(['NEW', 'OPEN', 'CLOSED', 'SAVED', 'FAILED'])
        .describe('NEW: given out; OPEN: edited; CLOSED: left unchanged; SAVED, FAILED: ended.'),
      users: z.array(z.string()).describe('Who edits now.'),
      openedAt: instant(),
      changedAt: instant(),
      lastSave: lastSave().nullable(),
      failures: z.array(failure()).describe('Saves that did not come about, newest last.'),
      recovery: recovery()
        .nullable()
        .describe('What could not be delivered is still with the editing server; null otherwise.'),
    })
    .meta({ id: 'DocsSession' }),
);

export const sessionPage = lazy(() => pageSchema(session(), 'DocsSessionPage'));

export const commanded = lazy(() =>
  z.object({
    sessions: z.array(
      z.object({
        key: z.string(),
        fileId: z.string(),
        result: z
          .enum(['SAVED', 'UNCHANGED', 'REQUESTED', 'CLOSED'])
          .describe('SAVED: stored; REQUESTED: not stored yet; CLOSED: nobody edits.'),
      }),
    ),
  }),
);

export const serverStatus = lazy(() =>
  z.object({
    documentServerUrl: z.string(),
    isReachable: z.boolean(),
    version: z.string().nullable(),
    secretAgrees: z.boolean().nullable().describe('null when it could not be asked.'),
    fault: z.string().nullable().describe('Stable code; null when all is well.'),
  }),
);

export const exampleSession = {
  key: 'dK3cW0v7XhQ2m9sYpL4tR8uZ1aB6eF5gH7jN0kM3qTs',
  fileId: 'documents/contract.docx',
  fileName: 'Contract.docx',
  documentId: 'contract-1',
  state: 'OPEN',
  users: ['lan'],
  openedAt: '2026-03-01T09:30:00.000Z',
  changedAt: '2026-03-01T09:31:00.000Z',
  lastSave: null,
  failures: [],
  recovery: null,
};
