import { DocxRefused } from './docx-refused.ts';
import { inspectScans } from './inspect-docx.ts';
import type { DocxInspection, DocxWarning } from './inspection.ts';
import { applyEdits } from './normalise/apply-edits.ts';
import { type CleaningWarning, cleanPackage } from './normalise/clean-package.ts';
import { ControlIds } from './normalise/control-ids.ts';
import { controlSettings } from './normalise/control-settings.ts';
import { looseMarkers } from './normalise/loose-markers.ts';
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
  /** Markers of the original file; their kinds differ from those of the normalised package. */
  readonly inspection: DocxInspection;
  readonly warnings: readonly (DocxWarning | CleaningWarning)[];
}

/** How a package is normalised. */
interface NormaliseOptions {
  /** Names that count between guillemets too. */
  readonly declared?: readonly string[];
  /** Whether controls of fields stay as they are: those of a document show values, which their markers would replace. */
  readonly keepsControls?: boolean;
}

/**
 * A package in which every marker that can be is a content control of one form, and which takes in nothing from
 * elsewhere. All other text and XML stays as it is; normalising again changes nothing.
 * @returns the package itself where nothing changes
 * @throws DocxRefused
 */
export function normaliseDocx(
  pkg: DocxPackage,
  { declared = [], keepsControls = false }: NormaliseOptions = {},
): NormalisedDocx {
  const cleaned = cleanPackage(pkg);
  const scan = (one: DocxPackage): readonly PartScan[] => {
    const scans = scanPackage(one, declared);
    return keepsControls ? scans.map(looseMarkers) : scans;
  };
  const uploaded = scan(cleaned.pkg);
  const inspection = inspectScans(uploaded);
  const prepared = prepare(cleaned.pkg, uploaded, scan);
  const changes = changesIn(prepared, keepsControls);
  const warnings = [...inspection.warnings, ...cleaned.warnings, ...prepared.warnings];
  const normalised = changes.size === 0 ? prepared.pkg : withEntries(prepared.pkg, changes);
  return { pkg: normalised, inspection, warnings };
}

function changesIn({ pkg, scans }: Prepared, keepsControls: boolean): Map<string, string> {
  const ids = new ControlIds(scans);
  const changes = new Map<string, string>();
  for (const scan of scans) {
    const edits = [...controlSettings(scan), ...wrapMarkers(scan, { xml: scan.xml, ids })];
    const xml = applyEdits(scan.xml, edits);
    const isAsRead = keepsControls || (!scan.isMoved && isUtf8(pkg, scan.part));
    if (xml !== scan.xml || !isAsRead) changes.set(scan.part, xml);
  }
  return changes;
}

interface Prepared {
  readonly pkg: DocxPackage;
  readonly scans: readonly PartScan[];
  readonly warnings: readonly CleaningWarning[];
}

function prepare(
  first: DocxPackage,
  uploaded: readonly PartScan[],
  scan: (pkg: DocxPackage) => readonly PartScan[],
): Prepared {
  let [pkg, scans] = [first, uploaded];
  const warnings = uploaded
    .filter(({ externalFields }) => externalFields.length > 0)
    .map(({ part }): CleaningWarning => ({ code: 'EXTERNAL_RESOURCE_REMOVED', part }));
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const changes = new Map<string, string>();
    for (const one of scans) {
      const edits = preparePart(one);
      if (edits.length > 0) changes.set(one.part, applyEdits(one.xml, edits));
    }
    if (changes.size === 0) return { pkg, scans, warnings };
    pkg = withEntries(pkg, changes);
    scans = scan(pkg);
  }
  throw new DocxRefused('DOCX_TOO_COMPLEX', 'The markers of the document are too intertwined.');
}

const isUtf8 = ({ entries }: DocxPackage, part: string): boolean =>
  encodingOf(entries.get(part) ?? new Uint8Array()) === 'utf-8';
