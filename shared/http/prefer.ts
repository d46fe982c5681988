/** What an answer says whose caller preferred not to wait. */
export const PREFERENCE_APPLIED = { 'preference-applied': 'respond-async' } as const;

/**
 * Whether a caller prefers an answer before the work is done.
 * @see RFC 7240: names are equal in any case; parameters and other preferences, such as `wait=10`, do not count
 */
export const prefersAsync = (prefer: string | undefined): boolean =>
  (prefer ?? '').split(',').some((preference) => /^\s*respond-async\s*(?:;|$)/i.test(preference));
