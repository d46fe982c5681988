import { renewed } from '../../shared/ports/renewed.ts';
import type { EncryptService } from '../../shared/ports/security.ts';
import type { ProblemItem } from '../../shared/problems/problem.ts';
import { isCipherText } from '../../shared/security/aes-gcm-text.ts';
import { MASK } from '../../shared/security/secret-text.ts';
import { isMasked } from './domain/masking.ts';
import { AES_SECRET, type Setting } from './domain/setting.ts';
import { problems } from './errors.ts';
import type { KeyVersions } from './key-versions.ts';
import type { ValueCheck } from './value-check.ts';

/** Request to save a setting. */
export interface SaveSetting {
  readonly name: string;
  readonly value: string;
  /** Left out: the stored description stays. */
  readonly desc?: string | undefined;
  /** Left out: the stored flag stays; never set: the name decides. */
  readonly secret?: boolean | undefined;
  /** Whether to store the value encrypted; left out: as it is stored now. */
  readonly encrypt?: boolean | undefined;
}

/** Content that a save stores, without versions and stamps. */
export type SettingContent = Pick<
  Setting,
  'name' | 'value' | 'desc' | 'secret' | 'encrypted' | 'keyVersion'
> & {
  /** The value is not encrypted yet. */
  readonly isPlain?: boolean;
};

/** Rejects the mask as the value of a new setting, as from a pre-filled form. */
const MASK_IS_NO_VALUE: ProblemItem = {
  pointer: '/value',
  code: 'VALUE_REQUIRED',
  detail: 'The mask ****** keeps a stored value, and there is none.',
};

/** Otherwise a caller without `setting:reveal` could uncover a secret by saving its mask. */
const LIFTING_NEEDS_VALUE: ProblemItem = {
  pointer: '/value',
  code: 'VALUE_REQUIRED',
  detail: 'Send the value itself to make a secret setting readable.',
};

/** Decides what a save stores: masks that keep a value, secrets, and the stored form of a value. */
export class SettingContents {
  readonly #encryptService: EncryptService;
  readonly #versions: KeyVersions;
  readonly #checkValue: ValueCheck;

  constructor(dependencies: {
    readonly encryptService: EncryptService;
    readonly versions: KeyVersions;
    readonly checkValue: ValueCheck;
  }) {
    this.#encryptService = dependencies.encryptService;
    this.#versions = dependencies.versions;
    this.#checkValue = dependencies.checkValue;
  }

  /**
   * Completes a request with what is stored.
   * @throws Problem `SETTING_INVALID` (422) for a value against the rules of the setting.
   */
  async wanted(request: SaveSetting, stored: Setting | undefined): Promise<SettingContent> {
    const { name, value } = request;
    const desc = request.desc ?? stored?.desc ?? '';
    const secret = request.secret ?? stored?.secret;
    if (stored && value === MASK && isMasked(stored)) {
      return keptBehindMask({ ...stored, desc, secret }, request.encrypt ?? false);
    }
    if (value === MASK && name !== AES_SECRET && isMasked({ name, secret })) {
      throw problems.settingInvalid([MASK_IS_NO_VALUE]);
    }
    await this.#checkValue(name, value);
    if (name === AES_SECRET) {
      const keyVersion = await this.#versions.current(value);
      return { name, value, desc, secret, encrypted: false, keyVersion };
    }
    const encrypted = request.encrypt ?? stored?.encrypted ?? false;
    return { name, value, desc, secret, encrypted, isPlain: encrypted };
  }

  /** Whether a save would store what is stored already. */
  async isUnchanged(wanted: SettingContent, stored: Setting): Promise<boolean> {
    if (wanted.desc !== stored.desc || wanted.secret !== stored.secret) return false;
    if (wanted.encrypted !== stored.encrypted) return false;
    if (wanted.keyVersion !== stored.keyVersion) return false;
    return wanted.value === (wanted.isPlain ? await this.plainValue(stored) : stored.value);
  }

  /** The value as the table holds it: encrypted where asked for, and cipher texts under the newest key. */
  async storedValue({ isPlain, ...content }: SettingContent): Promise<string> {
    return isPlain ? this.#encryptService.encrypt(content.value) : this.#underNewestKey(content);
  }

  /** The value of a setting in the clear. */
  async plainValue({ value, encrypted }: Setting): Promise<string> {
    return encrypted ? this.#encryptService.decrypt(value) : value;
  }

  /**
   * A cipher text that is stored again under the newest key: no change brings one of a former key back, so that keys
   * can be removed once no text uses them. What cannot be decrypted stays as it is.
   */
  async #underNewestKey({ name, value, encrypted }: SettingContent): Promise<string> {
    if (name === AES_SECRET || !(encrypted || isCipherText(value))) return value;
    return (await renewed(value, this.#encryptService)) ?? value;
  }
}

/** The stored value under a mask; it may be encrypted by this save, but not uncovered. */
function keptBehindMask(stored: Setting, encrypt: boolean): SettingContent {
  const { name, value, desc, secret, keyVersion } = stored;
  const encrypted = stored.encrypted || encrypt;
  const kept = { name, value, desc, secret, encrypted, keyVersion };
  if (!isMasked(kept)) throw problems.settingInvalid([LIFTING_NEEDS_VALUE]);
  return { ...kept, isPlain: encrypted && !stored.encrypted };
}
