import { randomBytes, timingSafeEqual } from 'node:crypto';
import { challengeOf } from '../openid/openid-client.ts';

/** A text that cannot be guessed. */
export const aSecret = (): string => randomBytes(32).toString('base64url');

/** Whether an application shows the verifier of the challenge that its login began with. */
export function isProven(challenge: string | undefined, verifier: string | undefined): boolean {
  if (challenge === undefined) return verifier === undefined;
  return verifier !== undefined && isEqual(challengeOf(verifier), challenge);
}

/** Whether two texts are equal, in a time that does not tell how far they are. */
export function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
