import { MASK } from '../../../../shared/security/secret-text.ts';
import { hasParts, isSecretName } from './secret-names.ts';

const FORM = /^[^\s=&<>{}]+=[^\s=&<>{}]*(?:&[^\s=&<>{}]+=[^\s=&<>{}]*)*$/;
/** Lists and members of a form: `items[0][price]`. */
const BRACKETS = /\[[\w.-]*\]/g;

/**
 * Form fields with the values of secret names masked.
 * @param maskValue masks a value; `undefined`: it cannot be read.
 * @see WHATWG URL, application/x-www-form-urlencoded
 */
export function maskForm(
  text: string,
  maskValue: (value: string) => string | undefined,
): string | undefined {
  if (!FORM.test(text)) return undefined;
  const shown = text.split('&').map((field) => maskField(field, maskValue));
  return shown.includes(undefined) ? undefined : shown.join('&');
}

function maskField(
  field: string,
  maskValue: (value: string) => string | undefined,
): string | undefined {
  const [name = '', value = ''] = field.split('=');
  const plainName = decode(name);
  if (hasParts(plainName.replace(BRACKETS, '')) || plainName.includes('"')) return undefined;
  if (isSecretName(plainName)) return `${name}=${MASK}`;
  const plain = decode(value);
  const shown = maskValue(plain);
  if (shown === undefined) return undefined;
  return `${name}=${shown === plain ? value : encodeURIComponent(shown)}`;
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};
