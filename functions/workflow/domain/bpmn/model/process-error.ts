import type { JsonValue } from '../../cmmn/basics/json.ts';

export type ProcessErrorCode =
  | 'EXPRESSION_ERROR'
  | 'ENGINE_LOOP'
  | 'PROCESS_FAILED'
  | 'ACTIVITY_NOT_WAITING'
  | 'VARIABLE_INVALID'
  | 'VARIABLES_TOO_LARGE'
  | 'COLLECTION_TOO_LARGE'
  | 'PROCESS_TOO_LARGE';

/** A command that is refused; it has changed nothing. */
export class ProcessError extends Error {
  override readonly name = 'ProcessError';
  readonly code: ProcessErrorCode;
  readonly details: Readonly<Record<string, JsonValue | undefined>>;

  constructor(
    code: ProcessErrorCode,
    message: string,
    details: Readonly<Record<string, JsonValue | undefined>> = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
