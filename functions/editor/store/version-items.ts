import type { SentHistory } from '../domain/history.ts';

/** One version of a document. Its content is in the storage: at a path of its own, or as an old version of one. */
export interface DocumentVersion {
  readonly number: number;
  /** Key of the session that has made it, or that was opened with it. */
  readonly key: string;
  readonly path: string;
  readonly versionId?: string | undefined;
  /** Absent: nothing else is ever written to its path. */
  readonly etag?: string | undefined;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** `null`: not known, such as of a document that was put from outside. */
  readonly userId: string | null;
  readonly history?: SentHistory | undefined;
  /** Path of the changes that the editor shows in colour. */
  readonly changesPath?: string | undefined;
  /** Number of the version that was restored by it. */
  readonly restoredFrom?: number | undefined;
}
