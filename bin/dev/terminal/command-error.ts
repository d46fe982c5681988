/** A failure that the user can fix: `message` says what happened, `advice` what to do. */
export class CommandError extends Error {
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.advice = advice;
  }
}

/** Message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
