import type { DirectoryUser, ReasonCode } from '../directory/directory.ts';

/** One change of an account; ids are chosen here, so that a repeated operation does nothing. */
export type UserOperation =
  | {
      readonly kind: 'create';
      readonly id: string;
      readonly user: DirectoryUser;
      readonly departmentIds: readonly string[];
      /** An account that may be the same person's: under a former id, or of a login. */
      readonly accountId?: string | undefined;
    }
  | {
      readonly kind: 'update';
      readonly id: string;
      readonly user: DirectoryUser;
      readonly departmentIds: readonly string[];
      /** Fingerprint that the account had when it was planned. */
      readonly expectedHash: string;
      /** Present where the source has changed its mind on whether the user is active. */
      readonly status?: 'ENABLE' | 'DISABLE' | undefined;
    }
  | {
      readonly kind: 'missing';
      readonly id: string;
      readonly externalId: string;
      readonly userName: string;
      /** Whether the user is at the source, outside of the scope. */
      readonly isOutOfScope?: boolean | undefined;
    }
  | {
      readonly kind: 'refuse';
      readonly externalId: string;
      readonly userName?: string | undefined;
      readonly code: ReasonCode;
    };

/** One change of a department. */
export type DepartmentOperation =
  | {
      readonly kind: 'create';
      readonly id: string;
      readonly externalId: string;
      readonly name: string;
      readonly parentId: string;
      readonly hash: string;
    }
  | {
      readonly kind: 'update';
      readonly id: string;
      readonly externalId: string;
      readonly name: string;
      readonly hash: string;
      /** Present where it changes. */
      readonly newName?: string | undefined;
      /** Present where it changes. */
      readonly newParentId?: string | undefined;
    }
  | {
      readonly kind: 'remove';
      readonly id: string;
      readonly externalId: string;
      readonly name: string;
    }
  | {
      readonly kind: 'note';
      readonly externalId: string;
      readonly name: string;
      readonly code: ReasonCode;
    };

/** What a plan would do, for the guard and for whoever approves it. */
export interface PlanCounts {
  readonly created: number;
  readonly updated: number;
  readonly disabled: number;
  readonly missing: number;
  readonly refused: number;
  readonly unchanged: number;
  /** Accounts whose user name changes. */
  readonly renamed: number;
  /** Users that the source has. */
  readonly total: number;
  /** Active accounts that are linked with the source. */
  readonly linked: number;
  /** Of `missing`, the active accounts. */
  readonly missingActive: number;
}

export interface DepartmentCounts {
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly total: number;
  readonly linked: number;
}
