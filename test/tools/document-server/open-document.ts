import type { EditorConfiguration } from './open-check.ts';

/** Somebody who has a document open. */
export interface Editor {
  readonly session: string;
  readonly userId: string;
  readonly userName: string;
  readonly isEditing: boolean;
  readonly callbackUrl: string | undefined;
}

/** A change, as the history of a save lists it. */
interface Change {
  readonly created: string;
  readonly user: { readonly id: string; readonly name: string };
}

const SERVER_VERSION = '9.0.4';

/** One document that editors share under a key. */
export class OpenDocument {
  readonly key: string;
  readonly fileType: string;
  readonly original: Uint8Array;
  readonly editors = new Map<string, Editor>();
  /** Whether it is a copy that could not be delivered before. */
  readonly isFromForgotten: boolean;
  texts: string[];
  /** Counts changes. */
  revision = 0;
  /** Changes that the last accepted forced save had; -1: there was none. */
  forcedRevision = -1;
  /** Changes since it was opened with nobody else, or last saved for good. */
  changes: Change[] = [];
  lastChanger: Editor | undefined;
  /** The address that the last of all who opened it brought along: also that of a viewer. */
  lastCallbackUrl: string | undefined;
  /** Where the browser of the last editor found this server: it may say anything. */
  browserBase: string;
  lastSave = new Date().toISOString();
  /** Whether it was saved for good: nobody may edit under its key again. */
  isOver = false;
  saves = 0;

  constructor(
    { document: { key, fileType } }: EditorConfiguration,
    content: { readonly bytes: Uint8Array; readonly texts: string[] },
    more: { readonly browserBase: string; readonly isFromForgotten: boolean },
  ) {
    this.key = key;
    this.fileType = fileType;
    this.original = content.bytes;
    this.texts = content.texts;
    this.browserBase = more.browserBase;
    this.isFromForgotten = more.isFromForgotten;
  }

  get editing(): Editor[] {
    return [...this.editors.values()].filter(({ isEditing }) => isEditing);
  }

  /** Ids of those who edit, each once. */
  get userIds(): string[] {
    return [...new Set(this.editing.map(({ userId }) => userId))];
  }

  get hasChanges(): boolean {
    return this.changes.length > 0;
  }

  change(editor: Editor, index: number, text: string): void {
    if (this.texts[index] === text) return;
    this.texts[index] = text;
    this.revision += 1;
    this.lastChanger = editor;
    const user = { id: editor.userId, name: editor.userName };
    this.changes.push({ created: new Date().toISOString(), user });
  }

  /** What a save says besides status and address. */
  facts(): Readonly<Record<string, unknown>> {
    const history = this.isFromForgotten
      ? {}
      : { serverVersion: SERVER_VERSION, changes: this.changes };
    return {
      key: this.key,
      users: this.lastChanger ? [this.lastChanger.userId] : [],
      history,
      lastsave: this.lastSave,
      filetype: this.fileType,
    };
  }

  /** `null` where nobody knows. */
  get isUnmodifiedSinceForced(): boolean | null {
    return this.isFromForgotten ? null : this.forcedRevision === this.revision;
  }
}

/** Who edits, and what one of them did. */
export const presence = (document: OpenDocument, type: number, { userId }: Editor) => ({
  ...{ key: document.key, users: document.userIds, actions: [{ type, userid: userId }] },
});
