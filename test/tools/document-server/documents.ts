import { randomUUID } from 'node:crypto';
import { readTexts, writeTexts } from './docx-text.ts';
import { type EditorConfiguration, OpenRefused } from './open-check.ts';
import { type Editor, OpenDocument, presence } from './open-document.ts';
import {
  type CallbackResult,
  download,
  type OutgoingOptions,
  type SentCallback,
  sendCallback,
} from './outgoing.ts';
import type { ServedFiles } from './served-files.ts';

export interface DocumentsOptions extends OutgoingOptions {
  /** Pause between the last leaving and the save: somebody may come back. */
  readonly saveDelayMs: number;
}

/** What the next conversion does: it fails without a file, or with one that is broken. */
export type BrokenConversion = 'no file' | 'broken file';

const UPDATE_VERSION = 4_007;
const JOINED = 1;
const LEFT = 0;
const FORCED = 2;

/** The documents that are open, who edits them, and what is told of them. */
export class Documents {
  readonly sent: SentCallback[] = [];
  /** Files that could not be delivered, by key. */
  readonly forgotten = new Map<string, Uint8Array>();
  readonly #open = new Map<string, OpenDocument>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #options: DocumentsOptions;
  readonly #files: ServedFiles;
  #nextConversion: BrokenConversion | undefined;

  constructor(options: DocumentsOptions, files: ServedFiles) {
    this.#options = options;
    this.#files = files;
  }

  find(key: string): OpenDocument | undefined {
    return this.#open.get(key);
  }

  breakNextConversion(how: BrokenConversion): void {
    this.#nextConversion = how;
  }

  /** Opens a document for one more user. @throws OpenRefused */
  async open(config: EditorConfiguration, browserBase: string): Promise<[OpenDocument, Editor]> {
    const { key } = config.document;
    const isEditing = config.editorConfig.mode === 'edit';
    const known = this.#open.get(key);
    if (known?.isOver && isEditing) throw new OpenRefused(UPDATE_VERSION, 'updateversion');
    const document = known ?? (await this.#load(config, browserBase));
    this.#cancelSave(key);
    document.browserBase = browserBase;
    const { user, callbackUrl } = config.editorConfig;
    const editor = {
      ...{ session: randomUUID(), userId: user?.id ?? 'guest', userName: user?.name ?? 'Guest' },
      ...{ isEditing, callbackUrl },
    };
    document.editors.set(editor.session, editor);
    document.lastCallbackUrl = callbackUrl ?? document.lastCallbackUrl;
    // Nobody waits for this one, so nothing orders it against later callbacks.
    if (isEditing) void this.#tell(document, callbackUrl, 1, presence(document, JOINED, editor));
    return [document, editor];
  }

  async #load(config: EditorConfiguration, browserBase: string): Promise<OpenDocument> {
    const { key, url, fileType } = config.document;
    const forgotten = this.forgotten.get(key);
    const bytes = forgotten ?? (await download(url, this.#options));
    const more = { browserBase, isFromForgotten: forgotten !== undefined };
    const document = new OpenDocument(config, { bytes, texts: readTexts(bytes, fileType) }, more);
    const other = this.#open.get(key);
    if (other) return other;
    this.#open.set(key, document);
    return document;
  }

  /** A user has left: others are told of, or the document is saved, or nothing was changed. */
  leave(document: OpenDocument, session: string): void {
    const editor = document.editors.get(session);
    document.editors.delete(session);
    if (!editor?.isEditing) return;
    const action = presence(document, LEFT, editor);
    if (document.editing.length > 0) void this.#tell(document, editor.callbackUrl, 1, action);
    else if (!document.hasChanges) {
      const { users, ...rest } = action;
      void this.#tell(document, editor.callbackUrl, 4, rest);
    } else this.#saveLater(document, editor);
  }

  #saveLater(document: OpenDocument, leaver: Editor): void {
    this.#cancelSave(document.key);
    const timer = setTimeout(() => void this.#save(document, leaver), this.#options.saveDelayMs);
    this.#timers.set(document.key, timer);
  }

  #cancelSave(key: string): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }

  /** The last save under a key. What is not accepted becomes a forgotten file. */
  async #save(document: OpenDocument, leaver: Editor): Promise<void> {
    this.#timers.delete(document.key);
    const facts = {
      ...document.facts(),
      actions: [{ type: LEFT, userid: leaver.userId }],
      notmodified: document.isUnmodifiedSinceForced,
    };
    const bytes = this.#convert(document);
    const { callbackUrl } = document.lastChanger ?? leaver;
    const result = await this.#deliver(document, callbackUrl, { 2: 2, 3: 3 }, { facts, bytes });
    document.isOver = true;
    if (result.isAccepted) this.forgotten.delete(document.key);
    else this.forgotten.set(document.key, bytes ?? document.original);
    if (!result.isAccepted) this.#open.delete(document.key);
  }

  /** Saves while editors stay. @param how what is told of the save */
  async forceSave(
    document: OpenDocument,
    how: { readonly type: 0 | 1; readonly editor?: Editor; readonly userdata?: string },
  ): Promise<boolean> {
    const { revision } = document;
    const facts = {
      ...document.facts(),
      forcesavetype: how.type,
      ...(how.editor && { actions: [{ type: FORCED, userid: how.editor.userId }] }),
      ...(how.userdata !== undefined && { userdata: how.userdata }),
    };
    const callbackUrl = (how.editor ?? document.lastChanger)?.callbackUrl;
    const bytes = this.#convert(document);
    const result = await this.#deliver(document, callbackUrl, { 2: 6, 3: 7 }, { facts, bytes });
    if (result.isAccepted) document.forcedRevision = revision;
    return result.isAccepted;
  }

  /** Sends who edits, to the last address of all. */
  async inform(document: OpenDocument, userdata?: string): Promise<void> {
    const { key, userIds: users } = document;
    const body = { key, users, ...(userdata !== undefined && { userdata }) };
    await this.#tell(document, document.lastCallbackUrl, 1, body);
  }

  /** @returns `undefined`: there is no result */
  #convert(document: OpenDocument): Uint8Array | undefined {
    const how = this.#nextConversion;
    this.#nextConversion = undefined;
    if (how === 'no file') return undefined;
    if (how === 'broken file') return Buffer.from('broken');
    return writeTexts(document.original, document.fileType, document.texts);
  }

  async #deliver(
    document: OpenDocument,
    callbackUrl: string | undefined,
    statuses: { readonly 2: number; readonly 3: number },
    result: {
      readonly facts: Readonly<Record<string, unknown>>;
      readonly bytes: Uint8Array | undefined;
    },
  ): Promise<CallbackResult> {
    const { facts, bytes } = result;
    document.saves += 1;
    const folder = `${document.key}_${document.saves}`;
    const isBroken = !bytes || Buffer.from(bytes).equals(Buffer.from('broken'));
    const { filetype, history, ...rest } = facts;
    const path = bytes && this.#files.keep(folder, `output.${document.fileType}`, bytes);
    const changes = document.isFromForgotten
      ? undefined
      : this.#files.keep(folder, 'changes.zip', Buffer.from('PK\u0005\u0006'.padEnd(22, '\0')));
    const addresses = () => ({
      ...(path && { url: this.#files.addressOf(path, document.browserBase), filetype, history }),
      ...(path && changes && { changesurl: this.#files.addressOf(changes, document.browserBase) }),
    });
    const status = isBroken ? statuses[3] : statuses[2];
    return await this.#tell(document, callbackUrl, status, rest, addresses);
  }

  async #tell(
    { key }: OpenDocument,
    url: string | undefined,
    status: number,
    body: Readonly<Record<string, unknown>>,
    addresses: () => Readonly<Record<string, unknown>> = () => ({}),
  ): Promise<CallbackResult> {
    if (url === undefined) return { isAccepted: false, tries: 0, status: 0 };
    const make = () => ({ key, status, ...body, ...addresses() });
    const result = await sendCallback(url, make, this.#options);
    this.sent.push({ ...result, key, callbackStatus: status });
    return result;
  }

  /** Ends what waits. */
  close(): void {
    for (const key of this.#timers.keys()) this.#cancelSave(key);
  }
}
