import type { Attributes } from './attribute-value.ts';

/** An error as DynamoDB sends it; the AWS client makes its own exception of it. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    {
      status = 400,
      members = {},
    }: { status?: number; members?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.members = members;
  }
}

/** The request breaks a rule of the API. */
export const invalid = (message: string): ServiceError =>
  new ServiceError('ValidationException', message);

/** A condition does not hold. */
export const conditionFailed = (item?: Attributes): ServiceError =>
  new ServiceError('ConditionalCheckFailedException', 'The conditional request failed', {
    members: item ? { Item: item } : {},
  });

/** Why one action of a transaction failed; `None` for those that did not. */
export interface CancellationReason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Attributes;
}

/** A transaction was cancelled; nothing of it was written. */
export function transactionCancelled(reasons: readonly CancellationReason[]): ServiceError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new ServiceError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { members: { CancellationReasons: reasons } },
  );
}

/** The service reads UTF-8, which has no halves of surrogate pairs. */
export const notReadable = (): ServiceError =>
  new ServiceError('SerializationException', 'Could not read the request');
