/**
 * Why a source could not be read.
 * - `ADDRESS_REFUSED`: an address that must not be called; nothing was sent.
 * - `UNREACHABLE`: no connection, or it broke off.
 * - `TIMEOUT`: an answer took too long.
 * - `LOGIN_FAILED`: the source refuses the admin account.
 * - `THROTTLED`: the source wants a longer pause than a call may wait.
 * - `SOURCE_FAILED`: the source reports an error of its own.
 * - `REQUEST_REFUSED`: the source refuses a request.
 * - `FILTER_REFUSED`: the source does not know the filter.
 * - `BAD_ANSWER`: an answer is not SCIM.
 * - `TOO_LARGE`: an answer exceeds the limit.
 * - `PAGING_BROKEN`: pages repeat, are missing or are not the ones that were asked for.
 */
export type SourceErrorCode =
  | 'ADDRESS_REFUSED'
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'LOGIN_FAILED'
  | 'THROTTLED'
  | 'SOURCE_FAILED'
  | 'REQUEST_REFUSED'
  | 'FILTER_REFUSED'
  | 'BAD_ANSWER'
  | 'TOO_LARGE'
  | 'PAGING_BROKEN';

/** A source that could not be read. The message holds nothing that the source has sent. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: SourceErrorCode,
    message: string,
    facts: {
      readonly status?: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** Whether another attempt may succeed without anybody changing anything. */
export const isPassing = ({ code }: SourceError): boolean =>
  code === 'UNREACHABLE' || code === 'TIMEOUT' || code === 'THROTTLED' || code === 'SOURCE_FAILED';
