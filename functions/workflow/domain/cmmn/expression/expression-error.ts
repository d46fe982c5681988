/** The text is not an expression; `position` is the offset of the first character that does not fit. */
export class ExpressionSyntaxError extends Error {
  override readonly name = 'ExpressionSyntaxError';
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** The expression cannot be evaluated: unknown variable, value of the wrong kind, a limit was reached. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}
