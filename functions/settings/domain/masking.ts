import { isCipherText } from '../../../shared/security/aes-gcm-text.ts';
import { MASK } from '../../../shared/security/secret-text.ts';
import { AES_SECRET, type Setting } from './setting.ts';

const SECRET_NAME = /(secret|password|passwd|token|credentials?|private[-_.]?key|api[-_.]?key)$/i;

/** The parts of a setting that decide about masking. */
type Maskable = Pick<Setting, 'name' | 'secret'> & {
  readonly value?: string | undefined;
  readonly encrypted?: boolean;
};

/**
 * Whether a value is hidden: the AES key always; an encrypted value; otherwise as the flag says, and without
 * one by the end of the name (`smtp.password`, but not `password.min-length`).
 */
export function isMasked({ name, secret, value, encrypted = false }: Maskable): boolean {
  if (name === AES_SECRET || encrypted) return true;
  if (value !== undefined && isCipherText(value)) return true;
  return secret ?? SECRET_NAME.test(name);
}

/** The value as it may be shown, and whether it is the mask. */
export function shown(setting: Maskable & { readonly value: string }): {
  readonly value: string;
  readonly masked: boolean;
} {
  const masked = isMasked(setting);
  return { value: masked ? MASK : setting.value, masked };
}
