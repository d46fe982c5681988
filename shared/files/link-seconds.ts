/** Default lifetime of a link in seconds. */
const LINK_SECONDS = 900;
/** A week, the longest that S3 accepts. */
const MAX_LINK_SECONDS = 604_800;

/** The lifetime of a link. @throws RangeError for one that is not a whole number of seconds up to a week */
export function linkSeconds(seconds = LINK_SECONDS): number {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_LINK_SECONDS) return seconds;
  throw new RangeError(
    `expiresInSeconds must be a whole number from 1 to ${MAX_LINK_SECONDS}; it is ${seconds}`,
  );
}
