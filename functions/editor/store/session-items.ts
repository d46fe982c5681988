import type { Openings } from '../domain/openings.ts';
import type { Recovery } from '../domain/recovery.ts';

/** A save that arrived. */
export interface SaveFacts {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly status: number;
  readonly userId: string | null;
  /** Where it lies. */
  readonly path: string;
  readonly sizeBytes: number;
  /** SHA-256 of what is stored, in hexadecimal. */
  readonly hash: string;
  /** Whether it is a copy beside the document, because that had changed meanwhile. */
  readonly conflict: boolean;
  readonly warnings: readonly string[];
}

/** A save that did not come about. */
export interface FailureFacts {
  readonly at: string;
  readonly status: number;
  /** Stable code. */
  readonly reason: string;
}

/**
 * - `NEW`: a configuration was given out; `OPEN`: being edited; `CLOSED`: left without changes;
 * - `SAVED`: ended with a save, the key is used up; `FAILED`: ended, and its changes could not be stored.
 */
export type SessionState = 'NEW' | 'OPEN' | 'CLOSED' | 'SAVED' | 'FAILED';

/** What is known of the editing under one key. */
export interface EditSession {
  readonly key: string;
  readonly rev: number;
  readonly fileId: string;
  readonly fileName: string;
  readonly documentId: string;
  /** Tenant of whoever opened it; empty: none. */
  readonly tenant: string;
  readonly state: SessionState;
  /** Who is editing. */
  readonly users: readonly string[];
  readonly openedAt: string;
  readonly changedAt: string;
  readonly lastSave?: SaveFacts | undefined;
  /** SHA-256 of what was sent with it. */
  readonly sentHash?: string | undefined;
  /** Newest last. */
  readonly failures: readonly FailureFacts[];
  /** What could not be delivered is still with the editing server. */
  readonly recovery?: Recovery | undefined;
  /** Epoch seconds after which nothing of it is needed. */
  readonly ttl: number;
  readonly version: number;
}

/** A write of a save that has begun: what lies at its path may be of it, before its call has said so. */
export interface BegunWrite {
  readonly key: string;
  readonly identity: string;
  readonly owner: string;
  /** Until when its call may be writing (epoch ms). */
  readonly leaseUntil: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly path: string;
  /** SHA-256 of what is written, in hexadecimal. */
  readonly hash: string;
  readonly sizeBytes: number;
  readonly warnings: readonly string[];
  /** What it is written over. */
  readonly replaced?: { readonly etag: string; readonly versionId?: string | undefined };
  /** SHA-256 of what was sent. */
  readonly sentHash: string;
  readonly status: number;
  readonly userId: string | null;
  readonly forceSaveType: number | null;
  readonly documentId: string;
  /** The old version that is written again; absent: a save. */
  readonly restored?: RestoredContent | undefined;
}

/** An old version that becomes the newest one. */
export interface RestoredContent {
  readonly version: number;
  readonly path: string;
  /** Of who restores it; empty: none. */
  readonly tenant: string;
}

/** What is about to be written. */
export type WrittenContent = Pick<BegunWrite, 'path' | 'hash' | 'sizeBytes' | 'warnings'>;

/** The key that a file is opened under: the same for everybody, so that they edit together. */
export interface FileKey {
  readonly fileId: string;
  readonly key: string;
  /** 0: the file was never opened. */
  readonly rev: number;
  /** Entity tag of the object when the key was made. */
  readonly baseEtag: string;
  /** Its version, in a storage that keeps old ones. */
  readonly baseVersionId?: string | undefined;
  /** Entity tag of what its sessions have stored last. */
  readonly ourEtag?: string | undefined;
  /** What its sessions have stored last in another format, beside it. */
  readonly converted?: { readonly path: string; readonly etag: string } | undefined;
  /** SHA-256 of what the editing server sent last. */
  readonly sentHash?: string | undefined;
  /** As which documents it was opened. */
  readonly openings?: Openings | undefined;
  /** Oldest first. Those of calls that have ended stay until the next save. */
  readonly writes?: readonly BegunWrite[] | undefined;
  readonly version: number;
}

/** A document that a session was opened as, besides the first one. */
export interface SessionOpening {
  readonly fileName: string;
  readonly documentId: string;
  readonly tenant: string;
  readonly openedAt: string;
  /** Epoch seconds. */
  readonly ttl: number;
}
