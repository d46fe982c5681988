import { maskSentence } from '../../security/secret-text.ts';
import { firstCharacters } from '../../store/first-characters.ts';

/** An invalid message or listener; the caller has to correct it. */
export class MessagingError extends Error {
  override readonly name = 'MessagingError';
  /** Stable code, UPPER_SNAKE, such as `MQ_LISTENER_MESSAGE_ID_REQUIRED`. */
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(`${message} (${code})`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Thrown by a listener: the message is dead at once, without a retry. */
export class NonRetryableError extends Error {
  override readonly name = 'NonRetryableError';
  readonly code: string;

  constructor(
    message: string,
    { code = 'MQ_NON_RETRYABLE', cause }: { code?: string; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Longest delay of a redelivery (ms): a queue hides a message for 12 h in all, and a function has had it for 15 min at most. */
const MAX_RETRY_LATER_MS = (12 * 60 - 15) * 60_000;

/**
 * Thrown by a listener: retry after a delay. It counts as an attempt. When the message would come back less than a day
 * before its queue forgets it, it is dead at once.
 */
export class RetryLaterError extends Error {
  override readonly name = 'RetryLaterError';
  /** 0 to 11 h 45 min; what is given beyond is shortened. */
  readonly delayMs: number;

  constructor(delayMs: number, message = `Try again in ${delayMs} ms`) {
    super(message);
    this.delayMs = Math.min(Math.max(delayMs || 0, 0), MAX_RETRY_LATER_MS);
  }
}

/** The error fields of a row: short, with what may be a secret masked. */
export interface KeptError {
  readonly code: string;
  readonly message: string;
}

const MAX_MESSAGE = 200;
/** More of a text is not looked at. */
const MAX_READ = 2_000;

/** Code and message of any thrown value; the message is shortened and its secrets are masked. */
export function keptError(error: unknown): KeptError {
  if (!(error instanceof Error)) return { code: 'UNKNOWN', message: keptMessage(String(error)) };
  const { code } = error as { readonly code?: unknown };
  return {
    code: typeof code === 'string' && code !== '' ? firstCharacters(code, 64) : error.name,
    message: keptMessage(error.message),
  };
}

/** The message of an error as it is kept. */
export const keptMessage = (text: string): string =>
  firstCharacters(maskSentence(text.slice(0, MAX_READ)), MAX_MESSAGE);
