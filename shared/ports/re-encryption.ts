/** A walk over all cipher texts of a module, ordered by a re-encryption. */
export interface ReEncryptionRound {
  /** The job that waits for it. */
  readonly jobId: string;
  readonly round: number;
}

/** Report of a module about its walk. */
export interface RoundReport {
  readonly state: 'DONE' | 'FAILED';
  /** Cipher texts that were looked at, and those that are under the newest key now. */
  readonly processed: number;
  readonly moved: number;
  /** Texts that no key of the ring decrypts. */
  readonly unreadable: number;
  /** Ids of the keys of those texts. */
  readonly kids: readonly string[];
}

/**
 * The re-encryption that an operator starts in the settings module. A module that keeps cipher texts binds this port:
 * it looks for open rounds in a scheduled task, walks over its texts in a job of its own and reports.
 * Keys are removed from the ring only when every module that binds the port has reported.
 */
export interface ReEncryption {
  /**
   * Takes the open round for a module, in the unit of work that starts its job.
   * @returns `undefined` when there is none, or the module has taken it.
   */
  take(module: string): Promise<ReEncryptionRound | undefined>;
  /** Reports the end of a walk; a later report replaces an earlier one. */
  report(module: string, round: ReEncryptionRound, report: RoundReport): Promise<void>;
}
