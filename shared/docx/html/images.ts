import { type DocxPackage, findEntry } from '../package/docx-package.ts';

/** Formats that browsers show, by how a file begins. */
const FORMATS: readonly (readonly [string, (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))],
  ['image/jpeg', (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8],
  ['image/gif', (bytes) => bytes.toString('latin1', 0, 4) === 'GIF8'],
  ['image/webp', (bytes) => bytes.toString('latin1', 8, 12) === 'WEBP'],
  ['image/bmp', (bytes) => bytes.toString('latin1', 0, 2) === 'BM'],
  [
    'image/svg+xml',
    (bytes) =>
      /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<svg[\s>]/s.test(
        bytes.toString('utf8', 0, 1_000).replace(/^\ufeff/, ''),
      ),
  ],
];

/**
 * An image of a package as an address that holds it; undefined for one that is not there or that browsers do not show.
 * As the source of an image SVG runs no script and loads nothing.
 */
export function imageAddress(
  pkg: Pick<DocxPackage, 'entries'>,
  partName: string | undefined,
): string | undefined {
  const entry = partName === undefined ? undefined : findEntry(pkg.entries, partName);
  const content = entry === undefined ? undefined : pkg.entries.get(entry);
  if (!content) return undefined;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const format = FORMATS.find(([, matches]) => matches(bytes))?.[0];
  return format && `data:${format};base64,${bytes.toString('base64')}`;
}
