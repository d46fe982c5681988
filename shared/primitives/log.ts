/** Writes one JSON line per fact. Never pass a secret, a token or document content. */
export interface Log {
  debug(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}

/** Facts of a log line; `cause` is an error. */
export type LogFacts = Readonly<Record<string, unknown>> & { readonly cause?: unknown };
