import {
  type DirectoryUser,
  isRefused,
  type SnapshotUser,
  type UserOutline,
} from '../directory/directory.ts';
import type { PlanCounts, UserOperation } from './operations.ts';

/** What is known of an account that is linked with a source, without reading it. */
export interface LinkedUser {
  readonly externalId: string;
  readonly userId: string;
  readonly userName?: string | undefined;
  /** {@link MISSING_HASH} once a run has found it missing. */
  readonly hash: string;
  /** What the source last said. */
  readonly active: boolean;
  readonly alias?: string | undefined;
}

/** In the place of a fingerprint: the source does not have the user any more. */
export const MISSING_HASH = 'missing';

/** In the place of a link: the source has the user. */
const SEEN = 'seen';

/** What is known of users who are compared next. */
export interface KnownOfSome {
  readonly links: Iterable<LinkedUser>;
  /** Accounts that users without a link may have already, by the ids of these users. */
  readonly accounts: ReadonlyMap<string, string>;
}

interface Input {
  readonly links: Iterable<LinkedUser>;
  /** Ids of departments by the ids of their groups. */
  readonly departmentIdOf: ReadonlyMap<string, string>;
  readonly rootId: string;
  /** The id of the account of a new user. */
  readonly newId: (externalId: string) => string;
  /** Accounts of logins, by the alias that their provider gives for the source. */
  readonly logins?: ReadonlyMap<string, string> | undefined;
  /** With a scope by groups: whether a user is within it. */
  readonly isInScope?: ((user: DirectoryUser) => boolean) | undefined;
}

/**
 * Compares users of a source, page by page, with the accounts that are linked with it. Equal fingerprints mean that
 * nothing is to be done, and nothing is kept of them.
 */
export class UserPlan {
  readonly #input: Input;
  /** One map for all that is known of an id: with many users each look-up counts. */
  readonly #known = new Map<string, LinkedUser | typeof SEEN>();
  readonly #outside = new Set<string>();
  readonly #accounts = new Map<string, string>();
  #aliases: ReadonlyMap<string, string> | undefined;
  readonly #counts = {
    ...{ created: 0, updated: 0, disabled: 0, missing: 0, missingActive: 0 },
    ...{ refused: 0, unchanged: 0, renamed: 0, total: 0, linked: 0 },
  };

  constructor(input: Input) {
    this.#input = input;
    for (const link of input.links) {
      this.#known.set(link.externalId, link);
      if (link.active) this.#counts.linked += 1;
    }
  }

  /** Takes in what is known of users that are added next, where not all links were given before. */
  learn({ links, accounts }: KnownOfSome): void {
    for (const link of links) {
      if (!this.#known.has(link.externalId)) this.#known.set(link.externalId, link);
    }
    for (const [externalId, accountId] of accounts) this.#accounts.set(externalId, accountId);
  }

  get counts(): PlanCounts {
    return { ...this.#counts };
  }

  /** The operations of one page: of unchanged users no more than the outline is read. */
  add(users: readonly UserOutline[]): UserOperation[] {
    const operations: UserOperation[] = [];
    for (const user of users) {
      if (this.#isUnchanged(user)) continue;
      const operation = this.#compare(user.whole());
      if (operation) operations.push(operation);
    }
    return operations;
  }

  #isUnchanged({ externalId, hash, active }: UserOutline): boolean {
    const link = this.#known.get(externalId);
    if (link === undefined || link === SEEN) return false;
    if (link.hash !== hash || link.active !== active || this.#input.isInScope) return false;
    this.#known.set(externalId, SEEN);
    this.#counts.total += 1;
    this.#counts.unchanged += 1;
    return true;
  }

  /**
   * What the source does not have any more, after its users were added.
   * @param isFull whether these were all: else absence means nothing, and only who has left the scope is missing
   */
  missing(isFull = true): UserOperation[] {
    const operations: UserOperation[] = [];
    for (const link of this.#known.values()) {
      if (link === SEEN) continue;
      const { externalId, userId: id, userName, active, hash } = link;
      if (hash === MISSING_HASH || !(isFull || this.#outside.has(externalId))) continue;
      this.#counts.missing += 1;
      if (active) this.#counts.missingActive += 1;
      const isOutOfScope = this.#outside.has(externalId);
      operations.push({
        ...{ kind: 'missing', id, externalId, userName: userName ?? externalId },
        ...(isOutOfScope && { isOutOfScope }),
      });
    }
    return operations;
  }

  #compare(user: SnapshotUser): UserOperation | undefined {
    const { externalId } = user;
    const counts = this.#counts;
    counts.total += 1;
    if (isRefused(user)) {
      this.#known.set(externalId, SEEN);
      return this.#refuse(user);
    }
    const link = this.#known.get(externalId);
    if (link === SEEN || this.#outside.has(externalId)) {
      return this.#refuse({ ...user, refused: 'DUPLICATE_EXTERNAL_ID' });
    }
    if (this.#input.isInScope?.(user) === false) {
      this.#outside.add(externalId);
      return undefined;
    }
    this.#known.set(externalId, SEEN);
    if (!link) return this.#create(user);
    const isSame = link.hash === user.hash && link.active === user.active;
    if (!isSame) return this.#update(user, link);
    counts.unchanged += 1;
    return undefined;
  }

  #create(user: DirectoryUser): UserOperation {
    this.#counts.created += 1;
    const { newId } = this.#input;
    const accountId = this.#knownAs(user);
    return {
      ...{
        kind: 'create',
        id: newId(user.externalId),
        user,
        departmentIds: this.#departments(user),
      },
      ...(accountId !== undefined && { accountId }),
    };
  }

  /** An account that was linked under another id and has the same alias, or that a login has made. */
  #knownAs({ externalId, sourceExternalId, userName }: DirectoryUser): string | undefined {
    const former = sourceExternalId && this.#byAlias().get(sourceExternalId);
    const known = former || this.#accounts.get(externalId);
    if (known) return known;
    const { logins } = this.#input;
    return logins?.get(externalId) ?? logins?.get(sourceExternalId ?? '') ?? logins?.get(userName);
  }

  /** Made with the first new user: most runs have none. */
  #byAlias(): ReadonlyMap<string, string> {
    this.#aliases ??= aliasesOf(this.#known.values());
    return this.#aliases;
  }

  #update(user: DirectoryUser, link: LinkedUser): UserOperation {
    const counts = this.#counts;
    counts.updated += 1;
    if (link.active && !user.active) counts.disabled += 1;
    const before = link.userName ?? user.userName;
    if (before.toLowerCase() !== user.userName.toLowerCase()) counts.renamed += 1;
    return {
      ...{ kind: 'update', id: link.userId, user, expectedHash: link.hash },
      departmentIds: this.#departments(user),
      ...(link.active !== user.active && { status: user.active ? 'ENABLE' : 'DISABLE' }),
    };
  }

  #refuse({
    externalId,
    userName,
    refused: code,
  }: SnapshotUser & { refused: Refusal }): UserOperation {
    this.#counts.refused += 1;
    return { kind: 'refuse', externalId, userName, code };
  }

  #departments({ groups }: DirectoryUser): readonly string[] {
    const { departmentIdOf, rootId } = this.#input;
    const ids = groups.flatMap((group) => departmentIdOf.get(group) ?? []);
    return ids.length > 0 ? ids : [rootId];
  }
}

/** Accounts by their aliases: of several with one alias none is meant. */
function aliasesOf(known: Iterable<LinkedUser | typeof SEEN>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const link of known) {
    if (link === SEEN || link.alias === undefined) continue;
    found.set(link.alias, found.has(link.alias) ? '' : link.userId);
  }
  return found;
}

type Refusal = Extract<UserOperation, { kind: 'refuse' }>['code'];
