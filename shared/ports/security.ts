import type { Principal } from '../security/principal.ts';

/**
 * Decides protected routes, and records of entities with `requirePermission=true`.
 * Only `true` or a decision with `allowed: true` allows; without an evaluator access is denied.
 */
export interface PermissionEvaluator {
  /**
   * @param target such as `setting`, `workflow:case` or `{permission-prefix}:{apiPath}`.
   * @param action `view`, `add`, `edit`, `delete`, or one that the module's document names.
   */
  hasPermission(
    principal: Principal,
    target: string,
    action: string,
  ): Promise<boolean | PermissionDecision> | boolean | PermissionDecision;
}

/** An answer that narrows what is allowed to some records and fields. */
export interface PermissionDecision {
  readonly allowed: boolean;
  /** Only records that match this filter (in the form of the list's `filter` parameter). */
  readonly rowFilter?: Readonly<Record<string, unknown>>;
  /** Only these fields are shown and may be written. */
  readonly fields?: readonly string[];
  /** Values that every new record gets, whatever the caller sends for these fields. */
  readonly presets?: Readonly<Record<string, unknown>>;
}

/** Encrypts texts with the key in the setting `security.aes_secret`. */
export interface EncryptService {
  /** @throws Problem `ENCRYPT_KEY_MISSING` when the setting does not exist. */
  encrypt(plain: string): Promise<string>;
  /** @throws Problem `ENCRYPT_KEY_MISSING`, `ENCRYPT_KEY_UNKNOWN` or `ENCRYPT_MALFORMED`. */
  decrypt(encrypted: string): Promise<string>;
  /** Whether a text was encrypted with a key that is no longer the current one. */
  needsReencrypt(encrypted: string): Promise<boolean>;
  /** Looks now which key is the newest one; a walk over many texts calls it before each part. */
  refreshKeys?(): Promise<void>;
}

/** Encrypts the connection data of identity sources; the default is the `EncryptService`. */
export interface EncryptionModule {
  encrypt(plain: string): Promise<string>;
  decrypt(encrypted: string): Promise<string>;
}
