import { timingSafeEqual } from 'node:crypto';
import { httpProblems } from '../problems/http-problems.ts';

/** Header by which functions know that a request came through CloudFront and its web ACL. */
export const EDGE_HEADER = 'x-svc-edge';

/**
 * Refuses a request that goes past CloudFront to the address of the gateway.
 * @param secret what CloudFront sends; every request may pass when there is none.
 * @param given what the request has.
 * @throws Problem `EDGE_REQUIRED` (403)
 */
export function requireEdge(secret: string | undefined, given = ''): void {
  if (secret === undefined) return;
  const [expected, actual] = [Buffer.from(secret), Buffer.from(given)];
  if (expected.length === actual.length && timingSafeEqual(expected, actual)) return;
  throw httpProblems.edgeRequired();
}
