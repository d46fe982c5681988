import type { FileFacts } from '../../../shared/ports/documents.ts';
import type { DeliveredSave } from '../domain/callback.ts';
import { besides, extensionOf, withExtension } from '../domain/file-id.ts';
import type { FileKey } from '../store/session-items.ts';

/** Where a save goes. */
export interface SavePlan {
  readonly path: string;
  readonly extension: string;
  /** Whether it is a copy beside the document. */
  readonly conflict: boolean;
  /** Whether it is one only because something else lies there than the session was opened with. */
  readonly isReplaced: boolean;
  /** Whether the key is not that of the file any more. */
  readonly isStale: boolean;
}

/** What is known when a save arrives. */
export interface SaveFactsNow {
  readonly fileId: string;
  /** The name that it was opened under. */
  readonly fileName: string;
  readonly key: string;
  readonly callback: Pick<DeliveredSave, 'status' | 'fileType'>;
  readonly fileKey: FileKey | undefined;
  /** The stored document; `undefined` when it is gone: it comes back. */
  readonly stored: FileFacts | undefined;
  /** Tells the copy of a save apart that another save of its session has overtaken. */
  readonly overtaken?: string | undefined;
}

/** Decides where a save goes: over the document only while it is the one that the session was opened with. */
export function planSave(facts: SaveFactsNow): SavePlan {
  const { fileId, fileName, key, callback, fileKey, stored, overtaken } = facts;
  const own = [extensionOf(fileName), extensionOf(fileId)].filter((each) => each !== '');
  const extension = callback.fileType ?? own[0] ?? '';
  const isConverted = own.length > 0 && !own.includes(extension);
  const target = isConverted ? withExtension(fileId, extension) : fileId;
  const isStale = fileKey?.key !== key;
  const word = callback.status === 3 || callback.status === 7 ? 'recovered' : 'conflict';
  const isCopy = isStale || overtaken !== undefined || word === 'recovered';
  const isReplaced = !isCopy && stored !== undefined && !isOurs(fileKey, stored);
  const conflict = isCopy || isReplaced;
  const path = conflict
    ? besides(target, [word, key.slice(0, 8), overtaken].filter(Boolean).join('-'))
    : target;
  return { path, extension, conflict, isReplaced, isStale };
}

const isOurs = (fileKey: FileKey | undefined, { etag }: FileFacts): boolean =>
  etag === fileKey?.baseEtag || etag === fileKey?.ourEtag;
