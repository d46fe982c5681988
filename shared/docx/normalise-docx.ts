import { DocxRefused } from './docx-refused.ts';
import { inspectScans } from './inspect-docx.ts';
import type { DocxInspection, DocxWarning } from './inspection.ts';
import { applyEdits } from './normalise/apply-edits.ts';
import { type CleaningWarning, cleanPackage } from './normalise/clean-package.ts';
import { ControlIds } from './normalise/control-ids.ts';
import { controlSettings } from './normalise/control-settings.ts';
import { preparePart } from './normalise/prepare-part.ts';
import { wrapMarkers } from './normalise/wrap-markers.ts';
import { type DocxPackage, withEntries } from './package/docx-package.ts';
import { encodingOf } from './package/encoding.ts';
import type { PartScan } from './scan/part-model.ts';
import { scanPackage } from './scan/scan-package.ts';

/** How often a part is read again before it is too intricate. */
const MAX_ROUNDS = 12;

export interface NormalisedDocx {
  readonly pkg: DocxPackage;
  /** What the file had before: its kinds of markers are not those of the package. */
  readonly inspection: DocxInspection;
  readonly warnings: readonly (DocxWarning | CleaningWarning)[];
}

/**
 * A package in which every marker that can be is a content control of one form, and which takes in nothing from
 * elsewhere. All other text and XML stays as it is; normalising again changes nothing.
 * @param options.declared names that count between guillemets too
 * @throws DocxRefused
 */
export function normaliseDocx(
  pkg: DocxPackage,
  { declared = [] }: { declared?: readonly string[] } = {},
): NormalisedDocx {
  const cleaned = cleanPackage(pkg);
  const uploaded = scanPackage(cleaned.pkg, declared);
  const inspection = inspectScans(uploaded);
  const prepared = prepare(cleaned.pkg, uploaded, declared);
  const ids = new ControlIds(prepared.scans);
  const changes = new Map<string, string>();
  for (const scan of prepared.scans) {
    const edits = [...controlSettings(scan), ...wrapMarkers(scan, { xml: scan.xml, ids })];
    const xml = applyEdits(scan.xml, edits);
    const isSame = xml === scan.xml && !scan.isMoved && isUtf8(prepared.pkg, scan.part);
    if (!isSame) changes.set(scan.part, xml);
  }
  const warnings = [...inspection.warnings, ...cleaned.warnings, ...prepared.warnings];
  return { pkg: withEntries(prepared.pkg, changes), inspection, warnings };
}

interface Prepared {
  readonly pkg: DocxPackage;
  readonly scans: readonly PartScan[];
  readonly warnings: readonly CleaningWarning[];
}

function prepare(
  first: DocxPackage,
  uploaded: readonly PartScan[],
  declared: readonly string[],
): Prepared {
  let [pkg, scans] = [first, uploaded];
  const warnings = uploaded
    .filter(({ externalFields }) => externalFields.length > 0)
    .map(({ part }): CleaningWarning => ({ code: 'EXTERNAL_RESOURCE_REMOVED', part }));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const changes = new Map<string, string>();
    for (const scan of scans) {
      const edits = preparePart(scan);
      if (edits.length > 0) changes.set(scan.part, applyEdits(scan.xml, edits));
    }
    if (changes.size === 0) return { pkg, scans, warnings };
    pkg = withEntries(pkg, changes);
    scans = scanPackage(pkg, declared);
  }
  throw new DocxRefused('DOCX_TOO_COMPLEX', 'The markers of the document are too intertwined.');
}

const isUtf8 = ({ entries }: DocxPackage, part: string): boolean =>
  encodingOf(entries.get(part) ?? new Uint8Array()) === 'utf-8';
