import { Splices } from '../xml/splices.ts';
import type { Edit } from './cuts.ts';

/** Applies changes. One that touches what another one has changed waits until the part is read again. */
export function applyEdits(xml: string, edits: readonly Edit[]): string {
  const splices = new Splices();
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < at) continue;
    splices.replace(start, end, text);
    at = end;
  }
  return splices.apply(xml);
}
