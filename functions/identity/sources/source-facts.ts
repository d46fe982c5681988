import { randomBytes } from 'node:crypto';
import { PROVIDERS, type Provider } from '../domain/sources/source.ts';
import { problems } from '../errors.ts';

const CODE_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A code of 20 characters that cannot be guessed. */
export const randomCode = (): string =>
  Array.from(randomBytes(20), (byte) => CODE_LETTERS[byte % CODE_LETTERS.length]).join('');

/** @throws Problem `PROVIDER_NOT_SUPPORTED` (400) */
export function supported(provider: string): Provider {
  const found = PROVIDERS.find((each) => each === provider.toUpperCase());
  if (!found) throw problems.providerNotSupported({ provider });
  return found;
}
