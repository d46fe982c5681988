import type { DocxLimits } from '../docx-limits.ts';
import { DocxRefused } from '../docx-refused.ts';

/** @throws DocxRefused for more markers than a document may have */
export function refuseMarkers(count: number, { markers }: DocxLimits): void {
  if (count <= markers) return;
  throw new DocxRefused('DOCX_TOO_COMPLEX', `The document has more than ${markers} markers.`);
}
