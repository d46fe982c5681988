/** Checks of the fuzzer that do not hold for operations, with the reason. */
export interface FuzzException {
  readonly operationIds: readonly string[];
  /** Name of the check, as the fuzzer calls it. */
  readonly check: string;
  readonly reason: string;
}

/** Values of path parameters that lead to something: by name, the values and the operations that use them. */
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
  /** Where the module does on purpose what the fuzzer takes for a mistake. */
  readonly exceptions?: readonly FuzzException[];
  /** Operations that `prepare` gives values for. */
  readonly targetedOperations?: readonly string[];
  /** Makes data, so that requests meet more than 404s, and says where it is. */
  readonly prepare?: (post: FuzzPost, suffix: string) => Promise<readonly FuzzTarget[]>;
}
