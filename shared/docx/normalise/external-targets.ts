import { findTextMarkers } from '../markers/text-markers.ts';

const SAFE = /^\s*(?:https?:|mailto:|#)/i;

/** Whether a link may stay: http, https, mailto, a place in the document, or one that a field will make. */
export const isExternalAllowed = (target: string): boolean =>
  SAFE.test(target) || findTextMarkers(decode(target), new Set()).some(({ valid }) => valid);

function decode(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}
