/** Whether an account may log in. */
export type AccountStatus = 'ENABLED' | 'DISABLED';

/** Who disabled an account: what an administrator disabled no source enables. */
export type DisabledBy = 'ADMIN' | 'SOURCE';

/** How an account is known at a source or an identity provider. */
export interface AccountLink {
  /** Id of the source or provider. */
  readonly sourceId: string;
  /** Id of the object there, which never changes. */
  readonly externalId: string;
  /** Its other identifier there: `externalId` of SCIM, or the claim that identifies the person at a source. */
  readonly alias?: string | undefined;
}

/** A link as a source's synchronisation keeps it. */
export interface SourceLink extends AccountLink {
  /** Digest of the mapped object that was applied last; equal ones need no write. */
  readonly hash: string;
  /** Whether the object was active at the source. */
  readonly active: boolean;
}

/** A link of a source with the account behind it. */
export interface LinkedAccount extends Omit<SourceLink, 'sourceId'> {
  readonly userId: string;
  readonly userName?: string | undefined;
}

/** Which links of a source count; default: all. */
export interface CountedLinks {
  readonly active?: boolean | undefined;
  /** Links with this digest do not count. */
  readonly otherThan?: string | undefined;
}

/** How the password of an account is known; absent: it has none. */
export interface AccountCredential {
  /** The default password of a source, in the version that held when the account was made. */
  readonly kind: 'SOURCE_DEFAULT';
  readonly sourceId: string;
  readonly version: number;
  readonly mustChange: boolean;
}

/** What a source or provider says of a person. */
export interface AccountFacts {
  /** Unique in the tenant, in any case of letters. */
  readonly userName: string;
  /** Unique in the tenant, in any case of letters. */
  readonly email?: string | undefined;
  /** Unique in the tenant. */
  readonly phone?: string | undefined;
  readonly fullName?: string | undefined;
  readonly nickName?: string | undefined;
  readonly givenName?: string | undefined;
  readonly familyName?: string | undefined;
  /** Ids of the departments; the first is the main one. */
  readonly orgIds: readonly string[];
  readonly roles?: readonly string[] | undefined;
  /** Further fields that a source maps, by name. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** A user account. */
export interface UserAccount extends AccountFacts {
  readonly id: string;
  readonly tenant?: string | undefined;
  readonly status: AccountStatus;
  readonly disabledBy?: DisabledBy | undefined;
  readonly credential?: AccountCredential | undefined;
  readonly origin: 'LOCAL' | 'SOURCE' | 'IDP';
  readonly links: readonly AccountLink[];
  /** 1 for a new account, one more with every change. */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** An account to make. */
export interface NewUser extends AccountFacts {
  /** Made before, so that a repeated command makes one account. */
  readonly id: string;
  readonly tenant?: string | undefined;
  readonly status: AccountStatus;
  readonly disabledBy?: DisabledBy | undefined;
  readonly credential?: AccountCredential | undefined;
  readonly origin: UserAccount['origin'];
  readonly links: readonly SourceLink[];
}

/** A change of an account: members that are absent stay; `null` empties one. */
export interface UserChange {
  readonly id: string;
  /** The change is refused with `VERSION_CONFLICT` when the account has another one. */
  readonly version?: number | undefined;
  readonly facts?:
    | {
        readonly [K in keyof AccountFacts]?:
          | AccountFacts[K]
          | (K extends 'userName' | 'orgIds' ? never : null);
      }
    | undefined;
  /** `ENABLED` by `SOURCE` leaves an account that an administrator disabled as it is. */
  readonly status?: { readonly to: AccountStatus; readonly by: DisabledBy } | undefined;
  /** Links that are written with the change, new ones and known ones. */
  readonly links?: readonly SourceLink[] | undefined;
}

/** Reasons why one item of a batch failed. */
export type ItemFailure =
  | 'USERNAME_CONFLICT'
  | 'EMAIL_CONFLICT'
  | 'PHONE_CONFLICT'
  | 'CODE_CONFLICT'
  | 'LINK_CONFLICT'
  | 'PARENT_MISSING'
  | 'CYCLE'
  | 'NOT_EMPTY'
  | 'NOT_FOUND'
  | 'VERSION_CONFLICT'
  | 'FENCED'
  | 'REPOSITORY_ERROR';

/** The outcome of one item of a batch; a batch never fails because of one item. */
export type ItemResult<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'failed'; readonly code: ItemFailure; readonly detail: string };

/**
 * Keeps a writer that was replaced from writing: what it writes commits only while the lane of the source has the value.
 * Writers that work at the same time have lanes of their own, so that their transactions have no item in common.
 */
export interface WriteFence {
  readonly sourceId: string;
  readonly lane: number;
  readonly value: number;
}

/** How a batch is written. */
export interface WriteOptions {
  readonly fence?: WriteFence | undefined;
}

/** How an account is removed. */
export interface RemoveOptions extends WriteOptions {
  /** The removal is refused with `VERSION_CONFLICT` when the account has another one. */
  readonly version?: number | undefined;
}

/**
 * The accounts of the host; the default keeps them in the table. Every method that takes many gives one result for
 * each, in their order, and throws only when nothing at all can be said. A repeated command has no second effect.
 */
export interface UserRepository {
  findById(id: string): Promise<UserAccount | undefined>;
  findByUsername(userName: string, tenant?: string): Promise<UserAccount | undefined>;
  findByEmail(email: string, tenant?: string): Promise<UserAccount | undefined>;
  findByExternal(sourceId: string, externalId: string): Promise<UserAccount | undefined>;
  /** An account by the alias of its link; of several accounts with an alias none is meant. */
  findByAlias(sourceId: string, alias: string): Promise<UserAccount | undefined>;
  /** Links of a source by their external ids, at most 100: those that there are, in any order. */
  findLinks(sourceId: string, externalIds: readonly string[]): Promise<readonly LinkedAccount[]>;
  /** How many links a source has: less than reading them, as runs of few users need no more of the others. */
  countLinks(sourceId: string, which?: CountedLinks): Promise<number>;
  /** Every link of a source, in the order of the UTF-8 bytes of their external ids. */
  iterateLinks(sourceId: string): AsyncIterable<LinkedAccount>;
  createMany(
    users: readonly NewUser[],
    options?: WriteOptions,
  ): Promise<readonly ItemResult<UserAccount>[]>;
  updateMany(
    changes: readonly UserChange[],
    options?: WriteOptions,
  ): Promise<readonly ItemResult<UserAccount>[]>;
  /** Enables or disables; the tokens of a disabled account are refused everywhere within a minute. */
  setStatus(id: string, status: AccountStatus, by: DisabledBy): Promise<ItemResult<UserAccount>>;
  /** Removes an account with its links and unique values; an account that does not exist is not an error. */
  remove(id: string, options?: RemoveOptions): Promise<ItemResult<undefined>>;
  /** Adds a link, or replaces what is known of it. `LINK_CONFLICT`: it belongs to another account. */
  link(userId: string, link: SourceLink, options?: WriteOptions): Promise<ItemResult<UserAccount>>;
  unlink(
    userId: string,
    link: AccountLink,
    options?: WriteOptions,
  ): Promise<ItemResult<UserAccount>>;
}

/** A department of the host. */
export interface Department {
  readonly id: string;
  readonly tenant?: string | undefined;
  /** Unique in the tenant; a group in tokens. */
  readonly code: string;
  readonly name: string;
  readonly parentId?: string | undefined;
  /** Ids from the root to the department itself. */
  readonly path: readonly string[];
  readonly order?: number | undefined;
  /** The source and the id there, for one that a source has made. */
  readonly sourceId?: string | undefined;
  readonly externalId?: string | undefined;
  /** Digest of what was applied last. */
  readonly hash?: string | undefined;
  readonly version: number;
}

/** A department to make. */
export interface NewDepartment extends Omit<Department, 'path' | 'version' | 'code'> {
  /** Default: made of the name. */
  readonly code?: string | undefined;
}

/** The departments of the host; the default keeps them in the table. */
export interface DepartmentRepository {
  get(id: string): Promise<Department | undefined>;
  /** Departments right below one; without an id those that have no parent. */
  children(id: string | undefined, tenant?: string): Promise<readonly Department[]>;
  /** Every department that a source has made. */
  ofSource(sourceId: string): Promise<readonly Department[]>;
  /** Parents before their children. */
  createMany(
    departments: readonly NewDepartment[],
    options?: WriteOptions,
  ): Promise<readonly ItemResult<Department>[]>;
  /** Hangs a department with all below it elsewhere. `CYCLE`: the parent is below the department. */
  move(
    id: string,
    parentId: string | undefined,
    options?: WriteOptions,
  ): Promise<ItemResult<Department>>;
  /** @param hash digest of what is applied, for a department of a source */
  rename(
    id: string,
    name: string,
    options?: WriteOptions & { readonly hash?: string | undefined },
  ): Promise<ItemResult<Department>>;
  /** `NOT_EMPTY`: it has departments or users. A department that does not exist is not an error. */
  remove(id: string, options?: WriteOptions): Promise<ItemResult<undefined>>;
}

/** Sends a notice to a user. */
export interface Notifier {
  /** @param facts what the text shows; `key`: notices with the same key are sent once. */
  notify(
    user: Pick<UserAccount, 'id' | 'userName' | 'email' | 'fullName'>,
    templateCode: string | undefined,
    facts: Readonly<Record<string, unknown>>,
  ): Promise<void>;
}

/** What a client gets after a login. */
export interface IssuedSession {
  readonly accessToken: string;
  readonly tokenType: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** Makes the session of a user who logged in through an identity provider. */
export interface SessionIssuer {
  /** @param groups codes of the user's departments and of those above them */
  issue(user: UserAccount, groups: readonly string[]): Promise<IssuedSession>;
}

/** Says whether a password is good enough. */
export interface PasswordPolicy {
  /** @returns what is wrong, or `undefined` when nothing is. */
  check(
    password: string,
    user?: Pick<UserAccount, 'userName' | 'email'>,
  ): string | undefined | Promise<string | undefined>;
}

/** Accounts that no synchronisation disables or removes. */
export interface ProtectedAccounts {
  isProtected(user: UserAccount): boolean | Promise<boolean>;
}
