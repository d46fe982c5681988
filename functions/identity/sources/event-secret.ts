import { randomBytes } from 'node:crypto';

/** 32 random bytes, as Standard Webhooks write secrets. */
export const newEventSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The bytes of a secret. */
export const secretBytes = (secret: string): Buffer =>
  Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
