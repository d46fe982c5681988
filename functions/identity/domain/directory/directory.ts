import type { AccountFacts } from '../../../../shared/ports/identity.ts';

/** Why a record of a run was not applied, or not as it stands at the source. */
export type ReasonCode =
  | 'USERNAME_CONFLICT'
  | 'EMAIL_CONFLICT'
  | 'PHONE_CONFLICT'
  | 'INVALID_DATA'
  | 'NO_USERNAME'
  | 'PARENT_MISSING'
  | 'MULTIPLE_PARENTS'
  | 'CYCLE'
  | 'PROTECTED_ACCOUNT'
  | 'STILL_PRESENT'
  | 'SOURCE_INACTIVE'
  | 'SOURCE_UNREACHABLE'
  | 'OUT_OF_SCOPE'
  | 'DUPLICATE_EXTERNAL_ID'
  | 'NOT_EMPTY'
  | 'NOT_FOUND'
  | 'CHANGED_MEANWHILE'
  | 'REPOSITORY_ERROR';

/** Values of an account that a source decides. */
export type UserValues = Omit<AccountFacts, 'orgIds' | 'roles'>;

/** A user of a source, as a snapshot keeps it. */
export interface DirectoryUser extends UserValues {
  /** Identifier that the source has assigned. */
  readonly externalId: string;
  /** Further identifier of the user at the source. */
  readonly sourceExternalId?: string | undefined;
  readonly active: boolean;
  /** Ids of its groups, in order. */
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  /** Present when it is in groups, and all of them are outside of the scope. */
  readonly isOutside?: boolean | undefined;
  /** Fingerprint of everything above. */
  readonly hash: string;
}

/** A user that cannot become an account. */
export interface RefusedUser {
  readonly externalId: string;
  readonly userName?: string | undefined;
  readonly refused: ReasonCode;
}

/** What a snapshot holds of one user. */
export type SnapshotUser = DirectoryUser | RefusedUser;

export const isRefused = (user: SnapshotUser): user is RefusedUser => 'refused' in user;

/** As much of a user as shows whether anything has changed; the rest is read when it is asked for. */
export interface UserOutline {
  readonly externalId: string;
  /** Of a refused user none. */
  readonly hash: string | undefined;
  readonly active: boolean;
  whole(): SnapshotUser;
}

export const outlineOf = (user: SnapshotUser): UserOutline => ({
  externalId: user.externalId,
  ...(isRefused(user)
    ? { hash: undefined, active: false }
    : { hash: user.hash, active: user.active }),
  whole: () => user,
});

/** A group of a source. */
export interface DirectoryGroup {
  readonly externalId: string;
  readonly name: string;
  /** Ids of its members that are groups. */
  readonly groups: readonly string[];
  /** Ids of its other members. */
  readonly users: readonly string[];
}

/** A group as a department. */
export interface WantedDepartment {
  readonly externalId: string;
  readonly name: string;
  /** `undefined`: below the root of the source. */
  readonly parent: string | undefined;
  /** 0 below the root. */
  readonly depth: number;
}
