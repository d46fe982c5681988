/** Facts of the document server about the changes of a version, passed to the editor unchanged. */
export interface SentHistory {
  readonly serverVersion: string;
  readonly changes: readonly unknown[];
}

/** Larger ones are of long sessions: their versions are listed without their changes. */
const MAX_HISTORY_BYTES = 16_384;

/** Kept as it was sent: only the editor reads it. An empty one, or half of one, is none. */
export function historyOf(sent: unknown): SentHistory | undefined {
  const { serverVersion, changes } = (sent ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof serverVersion !== 'string' || !Array.isArray(changes)) return undefined;
  const history = { serverVersion, changes };
  return Buffer.byteLength(JSON.stringify(history)) > MAX_HISTORY_BYTES ? undefined : history;
}

/** A version in the list of an editor. */
export interface ShownVersion {
  readonly version: number;
  /** The same for the same content, and never that of a session. */
  readonly key: string;
  /** As the editing server writes times, in UTC. */
  readonly created: string;
  readonly user?: { readonly id: string; readonly name: string };
  readonly serverVersion?: string;
  readonly changes?: readonly unknown[];
}

/** What a version in the list is made of. */
interface VersionFacts {
  readonly number: number;
  readonly key: string;
  readonly at: string;
  readonly userId: string | null;
  readonly history?: SentHistory | undefined;
}

/** What an editor's `refreshHistory` takes of a version. */
export function shownVersion({ number, key, at, userId, history }: VersionFacts): ShownVersion {
  return {
    version: number,
    key: versionKeyOf({ key, number }),
    created: at.replace('T', ' ').replace(/\..*$/, ''),
    ...(userId !== null && { user: { id: userId, name: nameOf(userId, history) } }),
    ...history,
  };
}

/** The key that a version is opened by. */
export const versionKeyOf = ({ key, number }: Pick<VersionFacts, 'key' | 'number'>): string =>
  `${key}.${number}`;

/** The document server has the names of its users in their changes. */
function nameOf(userId: string, history: SentHistory | undefined): string {
  const users = (history?.changes ?? []).map((change) => (change as { user?: unknown })?.user);
  const known = users.findLast((user) => (user as { id?: unknown })?.id === userId);
  const { name } = (known ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' && name !== '' ? name : userId;
}
