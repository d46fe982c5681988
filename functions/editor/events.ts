import type { EventDescription } from '../../shared/messaging/wire/event-description.ts';

/** Topics of edited documents. */
export const DOCS_TOPICS = {
  saved: 'docs.document.saved',
  saveFailed: 'docs.document.save-failed',
} as const;

/** A document was saved, as it travels. */
export interface SavedPayload {
  readonly documentId: string;
  readonly editedFilePath: string;
  readonly status: number;
  readonly key: string;
  readonly userId: string | null;
  readonly forceSaveType: number | null;
  readonly conflict: boolean;
  readonly isTerminal: boolean;
  /** Number of the old version that was restored; absent: it was edited. */
  readonly restoredFrom?: number;
}

/** A save did not come about. */
export interface SaveFailedPayload {
  readonly documentId: string;
  readonly fileId: string;
  readonly status: number;
  readonly key: string;
  readonly reason: string;
  readonly isTerminal: boolean;
}

/** Events of the module, for the reference. */
export const events = [
  {
    topic: DOCS_TOPICS.saved,
    key: 'document id',
    payload: 'DocsDocumentSavedEvent',
    meaning: 'a document is stored as it was edited, or an old version is restored',
    members: {
      documentId: 'id of the business document, as it was opened with',
      editedFilePath: 'where the document lies',
      status: '2 ended, 6 saved while it is edited, 3 rescued',
      key: 'key of the session',
      userId: 'who changed it last, or null',
      forceSaveType: '0 by command, 1 by button, 2 by time, 3 by form; null at the end',
      conflict: 'whether it is a copy beside the document, which had changed meanwhile',
      isTerminal: 'whether the editing has ended: time to sync the business record',
      restoredFrom: 'number of the old version that was restored, else absent',
    },
  } satisfies EventDescription<SavedPayload>,
  {
    topic: DOCS_TOPICS.saveFailed,
    key: 'document id',
    payload: 'DocsDocumentSaveFailedEvent',
    meaning: 'a save did not come about; what was edited may be lost',
    members: {
      documentId: 'id of the business document',
      fileId: 'path of the document',
      status: 'what the editing server reported',
      key: 'key of the session',
      reason: 'stable code',
      isTerminal: 'whether the editing has ended',
    },
  } satisfies EventDescription<SaveFailedPayload>,
];
