export type ExpressionErrorCode =
  | 'EXPRESSION_TOO_LONG'
  | 'EXPRESSION_TOO_DEEP'
  | 'EXPRESSION_TOO_COSTLY'
  | 'EXPRESSION_SYNTAX'
  | 'RESERVED_NAME'
  | 'UNKNOWN_FUNCTION'
  | 'WRONG_ARGUMENT_COUNT'
  | 'WRONG_ARGUMENT'
  | 'NOT_A_NUMBER'
  | 'NOT_A_DATE'
  | 'NOT_COMPARABLE'
  | 'DIVISION_BY_ZERO'
  | 'NUMBER_TOO_LARGE'
  | 'TEXT_TOO_LONG'
  | 'LIST_TOO_LONG';

/** An expression that cannot be read or computed. `position` counts characters from 1. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly code: ExpressionErrorCode;
  readonly position: number;

  constructor(code: ExpressionErrorCode, position: number, message: string) {
    super(message);
    this.code = code;
    this.position = position;
  }
}
