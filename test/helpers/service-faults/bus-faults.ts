import type { PutEventsRequestEntry, PutEventsResponse } from '@aws-sdk/client-eventbridge';

/**
 * Puts the entries of a request that are not refused on a bus.
 * @param codeOf error code of an entry that is refused
 * @returns what the bus answers.
 */
export async function takePartly(
  entries: readonly PutEventsRequestEntry[],
  codeOf: (entry: PutEventsRequestEntry) => string | undefined,
  take: (taken: PutEventsRequestEntry[]) => Promise<unknown>,
): Promise<PutEventsResponse> {
  const codes = entries.map(codeOf);
  const taken = entries.filter((_, index) => codes[index] === undefined);
  if (taken.length > 0) await take(taken);
  return {
    FailedEntryCount: entries.length - taken.length,
    Entries: codes.map((ErrorCode, index) =>
      ErrorCode === undefined ? { EventId: String(index) } : { ErrorCode },
    ),
  };
}
