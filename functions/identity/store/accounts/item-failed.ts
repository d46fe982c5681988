import type { ItemFailure, ItemResult } from '../../../../shared/ports/identity.ts';

const DETAILS: Readonly<Record<ItemFailure, string>> = {
  USERNAME_CONFLICT: 'Another account has the user name.',
  EMAIL_CONFLICT: 'Another account has the mail address.',
  PHONE_CONFLICT: 'Another account has the phone number.',
  CODE_CONFLICT: 'Another department has the code.',
  LINK_CONFLICT: 'The external id belongs to another object.',
  PARENT_MISSING: 'The parent does not exist.',
  CYCLE: 'The parent is below the department.',
  NOT_EMPTY: 'It has departments or users.',
  NOT_FOUND: 'It does not exist.',
  VERSION_CONFLICT: 'It was changed meanwhile.',
  FENCED: 'Another run has taken the source over.',
  REPOSITORY_ERROR: 'It could not be stored.',
};

/** Why one item of a batch cannot be written. */
export class ItemFailed extends Error {
  override readonly name = 'ItemFailed';
  readonly failure: ItemFailure;

  constructor(failure: ItemFailure) {
    super(DETAILS[failure]);
    this.failure = failure;
  }
}

export const succeeded = <T>(value: T): ItemResult<T> => ({ kind: 'ok', value });

const failed = (code: ItemFailure): ItemResult<never> => ({
  kind: 'failed',
  code,
  detail: DETAILS[code],
});

/** The result of writing one item; the caller logs unexpected errors. */
export async function resultOf<T>(
  write: () => Promise<T>,
  onError: (cause: unknown) => void,
): Promise<ItemResult<T>> {
  try {
    return succeeded(await write());
  } catch (cause) {
    if (cause instanceof ItemFailed) return failed(cause.failure);
    onError(cause);
    return failed('REPOSITORY_ERROR');
  }
}
