import { createHash } from 'node:crypto';

/** As which document, and of which tenant, a file is opened. */
export interface OpenedAs {
  readonly documentId: string;
  /** Empty: none. */
  readonly tenant: string;
}

/** What is known of the openings of a key; what is not among them is looked up. */
export interface Openings {
  /** Newest last. */
  readonly digests: readonly string[];
  /** Epoch seconds: how long the session is kept, and shown with these documents. */
  readonly keptUntil: number;
}

/** How long sessions are shown after their tokens have ended (s). */
const KEPT_S = 30 * 86_400;
const MOST_DIGESTS = 50;

export const digestOf = ({ tenant, documentId }: OpenedAs): string =>
  createHash('sha256')
    .update(JSON.stringify([tenant, documentId]))
    .digest('base64url');

/** Until when a session is kept whose last token is made now (epoch s). */
export const keptUntil = (nowMs: number, tokenSeconds: number): number =>
  Math.ceil(nowMs / 1_000) + tokenSeconds + KEPT_S;

/** Whether a session outlives a token that is made now by long. */
export const isKeptLongEnough = (until: number, nowMs: number, tokenSeconds: number): boolean =>
  until >= nowMs / 1_000 + Math.max(tokenSeconds, KEPT_S);

export const isAmong = (openings: Openings, digest: string): boolean =>
  openings.digests.includes(digest);

/** With one more of them. */
export const withOpening = (openings: Openings, digest: string): Openings => ({
  ...openings,
  digests: [...openings.digests.filter((each) => each !== digest), digest].slice(-MOST_DIGESTS),
});
