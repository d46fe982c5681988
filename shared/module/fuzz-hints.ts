/** Checks of the fuzzer that do not hold for operations, with the reason. */
export interface FuzzException {
  readonly operationIds: readonly string[];
  /** Name of the check, as the fuzzer calls it. */
  readonly check: string;
  readonly reason: string;
}

/** Values of path parameters that exist: by name, the values and the operations that use them. */
export interface FuzzTarget {
  /** Parameter of the path. */
  readonly parameter: string;
  readonly operationIds: readonly string[];
  readonly values: readonly string[];
}

/** Sends a POST to the platform. @returns its JSON answer. @throws when it is refused. */
export type FuzzPost = (path: string, body: unknown) => Promise<unknown>;

/** Hints for the fuzzer that the API description of a module cannot carry. */
export interface FuzzHints {
  /** Intended behaviour that the fuzzer would report as a defect. */
  readonly exceptions?: readonly FuzzException[];
  /** Operations that use the values of `prepare`. */
  readonly targetedOperations?: readonly string[];
  /** Creates data, so that requests do more than return 404. @returns its path parameters */
  readonly prepare?: (post: FuzzPost, suffix: string) => Promise<readonly FuzzTarget[]>;
}
