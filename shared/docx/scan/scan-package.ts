import { DocxRefused } from '../docx-refused.ts';
import { keyOf } from '../markers/names.ts';
import { type DocxPackage, readingXml, readXml } from '../package/docx-package.ts';
import type { PartScan } from './part-model.ts';
import { refuseMarkers } from './refuse-markers.ts';
import { scanPart } from './scan-part.ts';

/** The markers of all parts, the main document first. @throws DocxRefused */
export function scanPackage(pkg: DocxPackage, declared: readonly string[]): PartScan[] {
  const keys = new Set(declared.map(keyOf));
  const { limits } = pkg;
  const names = new Set<string>();
  let count = 0;
  return pkg.textParts.map((part) => {
    const scan = readingXml(part.name, () => scanPart(part, readXml(pkg, part.name), keys, limits));
    count += scan.markers.length;
    for (const { name } of scan.markers) names.add(keyOf(name));
    refuseMarkers(count, limits);
    if (names.size > limits.fields)
      throw new DocxRefused(
        'DOCX_TOO_COMPLEX',
        `The document has more than ${limits.fields} fields.`,
      );
    return scan;
  });
}
