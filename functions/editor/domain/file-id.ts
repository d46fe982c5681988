import { createHash } from 'node:crypto';
import { shownName } from '../../../shared/primitives/shown-name.ts';

/** Folder of documents in the bucket of the platform. */
const DOCUMENTS = 'documents/';

/** Folder of the changes of versions. */
export const CHANGES = 'documents/.changes/';

/** Folders that modules keep for themselves: they hold no documents, in any storage. */
const RESERVED = [
  ...['outbox/', 'entities/', 'workflow/', 'templates/', 'messaging/', 'identity/', 'settings/'],
  ...['documents/previews/', 'documents/batches/'],
  CHANGES,
];

const MAX_BYTES = 1_024;
const MAX_NAME_LENGTH = 128;
const CONTROLS = /\p{Cc}/u;

/**
 * Why a text is not a path of a document; `undefined` when it is one. Percent signs are letters of a name, unless they
 * spell a dot, a slash or a control character: nothing decodes them, but nothing should be tempted to.
 */
export function fileIdFault(fileId: string): string | undefined {
  if (fileId === '') return 'must not be empty';
  if (Buffer.byteLength(fileId) > MAX_BYTES) return `must not have more than ${MAX_BYTES} bytes`;
  if (!fileId.isWellFormed() || CONTROLS.test(fileId)) return 'must not hold control characters';
  if (fileId.includes('\\')) return 'must not hold a backslash';
  if (/%(?:2e|2f|5c|[01][0-9a-f]|7f)/i.test(fileId)) return 'must not hold encoded dots or slashes';
  const segments = fileId.split('/');
  if (segments.some((segment) => segment === '')) return 'must not hold an empty part';
  if (segments.some((segment) => /^\.+$/.test(segment))) return 'must not hold a part of dots';
  return undefined;
}

/**
 * Whether a path is one of documents.
 * @param isOwnBucket whether the storage is the platform's bucket, where documents have a folder of their own
 */
export function isDocumentPath(fileId: string, isOwnBucket: boolean): boolean {
  if (RESERVED.some((prefix) => fileId.startsWith(prefix))) return false;
  return !isOwnBucket || fileId.startsWith(DOCUMENTS);
}

/** Path of the changes of a version, which only the token of a version opens. */
export function changesPathOf(document: string, key: string, content: Uint8Array): string {
  const digest = (value: string | Uint8Array) => createHash('sha256').update(value).digest('hex');
  return `${CHANGES}${digest(document).slice(0, 32)}/${key}-${digest(content).slice(0, 16)}.zip`;
}

/** A path as part of an address. */
export const encodePath = (fileId: string): string =>
  fileId.split('/').map(encodeURIComponent).join('/');

/** Whether a part of an address stands for a path: a gateway hands it on decoded, or as it was sent. */
export function isPathOf(given: string, fileId: string): boolean {
  if (given === fileId) return true;
  try {
    return decodeURIComponent(given) === fileId;
  } catch {
    return false;
  }
}

/** What an editor shows as the title: the last part of a name, without control characters. */
export const titleOf = (fileName: string, fileId: string): string =>
  shownName(fileName, MAX_NAME_LENGTH) || shownName(fileId, MAX_NAME_LENGTH) || 'document';

/** The extension of a name in lower case; empty without one. */
export function extensionOf(name: string): string {
  const at = name.lastIndexOf('.');
  const extension = at < 0 ? '' : name.slice(at + 1).toLowerCase();
  return /^[a-z0-9]{1,16}$/.test(extension) ? extension : '';
}

/** A path with another extension. */
export function withExtension(fileId: string, extension: string): string {
  const folder = fileId.slice(0, fileId.lastIndexOf('/') + 1);
  const name = fileId.slice(folder.length);
  const at = name.lastIndexOf('.');
  return fitting(`${folder}${at > 0 ? name.slice(0, at) : name}`, `.${extension}`);
}

/** A path beside a document, such as `letter.conflict-1a2b3c4d.docx`. */
export function besides(fileId: string, word: string): string {
  const extension = extensionOf(fileId);
  const stem = extension === '' ? fileId : fileId.slice(0, -(extension.length + 1));
  return fitting(stem, `.${word}${extension === '' ? '' : `.${extension}`}`);
}

/** A path that storages take: the end of its stem goes when it is too long, and a digest tells stems apart. */
function fitting(stem: string, ending: string): string {
  if (Buffer.byteLength(stem) + Buffer.byteLength(ending) <= MAX_BYTES) return stem + ending;
  const digest = createHash('sha256').update(stem).digest('hex').slice(0, 8);
  const end = `-${digest}${ending}`;
  const room = Buffer.alloc(MAX_BYTES - Buffer.byteLength(end));
  const { read } = new TextEncoder().encodeInto(stem, room);
  return stem.slice(0, read) + end;
}
