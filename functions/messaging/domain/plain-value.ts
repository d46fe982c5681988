import { maskJsonText } from './mask-secrets.ts';

/** What may be a list of names and values again, markup, or an address with a password. */
const HAS_PARTS = /[<>{}[\]=;&\\]|[\w.-]["']?\s*:/;

/** A value within a text: JSON is masked; `undefined` when it may hide names and values of its own. */
export function maskPlain(value: string): string | undefined {
  return maskJsonText(value) ?? (HAS_PARTS.test(value) ? undefined : value);
}
