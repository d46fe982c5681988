/** A secret of the editing server, as it is kept account of: nothing can be read of it. */
export interface SecretTrace {
  readonly digest: string;
  /** Its version in Secrets Manager, which gives its text. */
  readonly versionId?: string | undefined;
}

/** Secrets in the order of their use. */
export interface SecretHistory {
  readonly current: SecretTrace;
  /** Since when (epoch ms). */
  readonly since: number;
  /** Newest first. */
  readonly earlier: readonly (SecretTrace & { readonly replacedAt: number })[];
}

/** Earlier secrets that tokens may still be signed with: whoever replaces one so often does it by mistake. */
export const MOST_EARLIER_SECRETS = 5;
/** A few more are remembered, so that one that is named again does not count as new. */
const MOST_REMEMBERED = 2 * MOST_EARLIER_SECRETS;

/**
 * The history with what is in use now. A secret that comes back is the current one from then on, and the other was
 * replaced then.
 * @param before those that the configuration, or the store of secrets, names as earlier ones
 */
export function historyWith(
  known: SecretHistory | undefined,
  current: SecretTrace,
  before: readonly SecretTrace[],
  now: number,
): SecretHistory {
  const isSame = known?.current.digest === current.digest;
  const since = isSame ? known.since : now;
  const replaced = known && !isSame ? [{ ...known.current, replacedAt: now }] : [];
  const remembered = [...replaced, ...(known?.earlier ?? [])];
  const isNew = ({ digest }: SecretTrace) => !remembered.some((each) => each.digest === digest);
  const unknown = before.filter(isNew).map((trace) => ({ ...trace, replacedAt: since }));
  const earlier = [...remembered, ...unknown]
    .filter(({ digest }, at, all) => {
      const isFirst = all.findIndex((each) => each.digest === digest) === at;
      return isFirst && digest !== current.digest;
    })
    .sort((one, other) => other.replacedAt - one.replacedAt)
    .slice(0, MOST_REMEMBERED);
  return { current, since, earlier };
}
