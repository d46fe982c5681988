import { isNestedDeeper } from '../../../shared/problems/json-levels.ts';
import { MASK, SECRET_NAME } from '../../../shared/security/secret-text.ts';

/** Masks all members with secret names, also within texts that are JSON themselves. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskJsonText(value) ?? value;
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_NAME.test(name) && typeof member !== 'boolean' && member !== null
        ? MASK
        : maskSecrets(member),
    ]),
  );
}

/** A text that is JSON with an object or a list, masked; `undefined`: it is not. */
export function maskJsonText(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text) || isNestedDeeper(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const masked = JSON.stringify(maskSecrets(value));
    return masked === JSON.stringify(value) ? text : masked;
  } catch {
    return undefined;
  }
}
