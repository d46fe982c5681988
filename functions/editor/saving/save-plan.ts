import { createHash } from 'node:crypto';
import type { FileFacts } from '../../../shared/ports/documents.ts';
import type { DeliveredSave } from '../domain/callback.ts';
import { besides, extensionOf, withExtension } from '../domain/file-id.ts';
import type { FileKey } from '../store/session-items.ts';

/** Where the saves of a document go as long as nothing is in their way. */
export interface SaveHome {
  readonly path: string;
  readonly extension: string;
  /** Whether it is beside the document, which has another format. */
  readonly isConverted: boolean;
}

/** Where a save goes. */
export interface SavePlan {
  readonly path: string;
  readonly home: SaveHome;
  /** Whether it is a copy beside the document. */
  readonly conflict: boolean;
  /** Whether it goes elsewhere only because what lies in its place is not what its session knows. */
  readonly isReplaced: boolean;
  /** Whether the key is not that of the file any more. */
  readonly isStale: boolean;
  /** Whether what lies in its place may be this save, stored by a call that ended before it could say so. */
  readonly mayBeStored: boolean;
}

/** What is known when a save arrives. */
export interface SaveFactsNow {
  readonly fileId: string;
  readonly home: SaveHome;
  readonly key: string;
  readonly callback: Pick<DeliveredSave, 'status'>;
  readonly fileKey: FileKey | undefined;
  /** What lies at `home`; `undefined`: nothing, or nothing any more. */
  readonly stored: FileFacts | undefined;
  /** Whether a save of the session has put it there without saying so. */
  readonly isOwn?: boolean | undefined;
  /** Tells the copy of a save apart that another save of its session has overtaken. */
  readonly overtaken?: string | undefined;
}

/** @param fileName the name that it was opened under */
export function homeOf(
  fileId: string,
  fileName: string,
  { fileType }: Pick<DeliveredSave, 'fileType'>,
): SaveHome {
  const own = [extensionOf(fileName), extensionOf(fileId)].filter((each) => each !== '');
  const extension = fileType ?? own[0] ?? '';
  const isConverted = own.length > 0 && !own.includes(extension);
  const path = isConverted ? withExtension(fileId, extension) : fileId;
  return { path, extension, isConverted };
}

/** Decides where a save goes: over a file only while that is the one that its sessions know. */
export function planSave(facts: SaveFactsNow): SavePlan {
  const { fileId, home, key, callback, fileKey, stored, isOwn = false, overtaken } = facts;
  const isStale = fileKey?.key !== key;
  const isRecovered = callback.status === 3 || callback.status === 7;
  const isCopy = isStale || overtaken !== undefined || isRecovered;
  const isKnown = isOwn || stored === undefined || isOurs(home, fileKey, stored);
  const isReplaced = !isCopy && !isKnown;
  const conflict = isCopy || (isReplaced && !home.isConverted);
  const word = conflict
    ? [isRecovered ? 'recovered' : 'conflict', key.slice(0, 8), overtaken].filter(Boolean).join('-')
    : `converted-${digestOf(fileId)}`;
  const path = conflict || isReplaced ? besides(home.path, word) : home.path;
  return { path, home, conflict, isReplaced, isStale, mayBeStored: !isStale && !isRecovered };
}

/** Whether a file is what its sessions know. */
export function isOurs(
  { path, isConverted }: SaveHome,
  fileKey: FileKey | undefined,
  { etag }: FileFacts,
): boolean {
  const { baseEtag, ourEtag, converted } = fileKey ?? {};
  if (isConverted) return converted?.path === path && converted.etag === etag;
  return etag === baseEtag || etag === ourEtag;
}

/** No other document has the same: a copy in another format takes nobody's place. */
const digestOf = (fileId: string): string =>
  createHash('sha256').update(fileId).digest('hex').slice(0, 8);
