import type { DocxPackage } from './docx-package.ts';
import { writeZip } from './write-zip.ts';

/** The file of a package: the same package gives the same bytes, at any time and place. */
export const writeDocx = (pkg: DocxPackage): Buffer => writeZip(pkg.entries);
