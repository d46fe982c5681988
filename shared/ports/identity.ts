/** A user account of the host. */
export interface UserAccount {
  readonly id: string;
  readonly username: string;
  readonly email?: string | undefined;
  readonly displayName?: string | undefined;
  readonly departmentId?: string | undefined;
  readonly enabled: boolean;
}

/** The outcome of one item of a batch; a batch never fails because of one item. */
export type ItemResult<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string };

/** The accounts of the host; the default keeps them in the table. */
export interface UserRepository {
  findById(id: string): Promise<UserAccount | undefined>;
  findByUsername(username: string): Promise<UserAccount | undefined>;
  findByEmail(email: string): Promise<UserAccount | undefined>;
  findByExternal(sourceId: string, externalId: string): Promise<UserAccount | undefined>;
  createMany(
    users: readonly Omit<UserAccount, 'id'>[],
  ): Promise<readonly ItemResult<UserAccount>[]>;
  updateMany(
    users: readonly (Pick<UserAccount, 'id'> & Partial<UserAccount>)[],
  ): Promise<readonly ItemResult<UserAccount>[]>;
  setEnabled(id: string, enabled: boolean, by: string): Promise<void>;
}

/** A department of the host. */
export interface Department {
  readonly id: string;
  readonly name: string;
  readonly parentId?: string | undefined;
}

/** The departments of the host; the default keeps them in the table. */
export interface DepartmentRepository {
  get(id: string): Promise<Department | undefined>;
  children(id: string): Promise<readonly Department[]>;
  createMany(
    departments: readonly Omit<Department, 'id'>[],
  ): Promise<readonly ItemResult<Department>[]>;
  move(id: string, parentId: string): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Sends a notice to a user. */
export interface Notifier {
  notify(
    userId: string,
    templateCode: string,
    facts: Readonly<Record<string, unknown>>,
  ): Promise<void>;
}

/** Makes the session of a user who logged in through an identity provider. */
export interface SessionIssuer {
  issue(user: UserAccount): Promise<{
    readonly accessToken: string;
    readonly tokenType: string;
    readonly expiresIn: number;
  }>;
}

/** Says whether a password is good enough. */
export interface PasswordPolicy {
  /** @returns what is wrong, or `undefined` when nothing is. */
  check(password: string, user: Pick<UserAccount, 'username' | 'email'>): string | undefined;
}
