/** Name of the setting that holds the AES key. It is never shown, not even masked in part. */
export const AES_SECRET = 'security.aes_secret';

/** Names of settings: letters and digits, then also `.`, `_`, `:` and `-`; 255 characters at most. */
export const SETTING_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,254}$/;

/** Longest value, in bytes of UTF-8. */
export const MAX_VALUE_BYTES = 65_536;

/** Longest text of the AES key, in bytes of UTF-8. */
export const MAX_KEY_TEXT_BYTES = 1_024;

/** Longest description, in characters. */
export const MAX_DESC_LENGTH = 1_024;

/** A setting as it is stored. */
export interface Setting {
  readonly name: string;
  /** The value, or its ciphertext when `encrypted`. */
  readonly value: string;
  readonly desc: string;
  /** Whether the value is secret; `undefined`: decided by the name. */
  readonly secret?: boolean | undefined;
  readonly encrypted: boolean;
  /** Version of the secret that the AES setting points to (Secrets Manager VersionId). */
  readonly keyVersion?: string | undefined;
  /** Of the AES key: whether each setting that was deleted since the key is in use is listed as deleted. */
  readonly deletionsListed?: true | undefined;
  /** 1 for the first version; grows by one with each change, over deletions too. */
  readonly version: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** Kind of change that created a version. */
export type ChangeKind = 'CREATED' | 'UPDATED' | 'ROLLED_BACK' | 'DELETED';

/** One version in the history of a setting. */
export interface SettingVersion {
  readonly version: number;
  readonly change: ChangeKind;
  /** What the version held; `undefined` for a deletion and for the AES key. */
  readonly value?: string | undefined;
  readonly desc: string;
  readonly secret?: boolean | undefined;
  readonly encrypted: boolean;
  readonly at: string;
  readonly by: string;
  /** Issuer of the token of `by`. */
  readonly issuer?: string | undefined;
  readonly traceId: string;
}

/** The history entry of a change; the AES key and deletions have no value in it. */
export function versionOf(
  { name, version, value, desc, secret, encrypted }: Setting,
  {
    change,
    at,
    actor,
    traceId,
  }: Pick<SettingVersion, 'change' | 'at' | 'traceId'> & {
    readonly actor: Pick<SettingVersion, 'by' | 'issuer'>;
  },
): SettingVersion {
  const hasValue = change !== 'DELETED' && name !== AES_SECRET;
  return {
    ...{ version, change, desc, secret, encrypted, at },
    ...(hasValue && { value }),
    ...actor,
    traceId,
  };
}

type KeyText = Pick<Setting, 'value' | 'keyVersion'>;

/** Whether the AES setting has another key than before. */
export const isReplaced = (before: KeyText, { value, keyVersion }: KeyText): boolean =>
  before.value !== value || before.keyVersion !== keyVersion;

/**
 * Whether each setting that was deleted since the key is in use is listed: true for a new AES key; one that stays may be
 * older than the list.
 */
export const deletionsListed = (wanted: KeyText, stored: Setting | undefined): boolean =>
  !stored || isReplaced(stored, wanted) || stored.deletionsListed === true;
