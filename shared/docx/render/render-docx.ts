import { type DocxPackage, withEntries } from '../package/docx-package.ts';
import type { PartScan } from '../scan/part-model.ts';
import { scanPackage } from '../scan/scan-package.ts';
import type { RenderRequest, RenderResult, RenderWarning } from './contract/request.ts';
import { TemplateTags } from './contract/template-tags.ts';
import { ValueFiller } from './fill/fill-values.ts';
import { mergeParts } from './fill/merge-parts.ts';
import {
  applyLocks,
  ControlNumbers,
  PictureWriter,
  removeEmptyParagraphs,
} from './finish/finish-parts.ts';
import { fillLinks } from './finish/link-targets.ts';
import { markContents, updateFields } from './finish/updates.ts';
import { makePictures } from './pictures/make-pictures.ts';
import type { Preparation } from './prepare/preparation.ts';
import { type PreparedPart, preparePart } from './prepare/prepare-part.ts';

/**
 * Fills a normalised document. The same document and values make the same package.
 * @param declared names of declared fields: these count between guillemets too
 * @throws DocxRefused
 */
export async function renderDocx(
  pkg: DocxPackage,
  request: RenderRequest,
  declared: readonly string[],
): Promise<RenderResult> {
  const scans = scanPackage(pkg, declared);
  const warnings: RenderWarning[] = [];
  const merged = merge(scans, request, warnings);
  const { filler, parts } = merged;
  const made = await makePictures(filler.pictures, request.output === 'PDF');
  const pictures = new PictureWriter(filler.pictures, made);
  const numbers = new ControlNumbers(scans.map(({ xml }) => xml));
  const linked = fillLinks(pkg, request, warnings);
  const changes = new Map<string, string>();
  for (const { name, prefix } of parts) {
    const locked = applyLocks(merged.texts.get(name) ?? '', filler.locks.get(name) ?? []);
    const whole = pictures.write(
      linked,
      name,
      removeEmptyParagraphs(numbers.apply(locked)),
      prefix,
    );
    changes.set(name, whole);
  }
  if (request.output === 'DOCX') markAllContents(scans, changes);
  const filled = pictures.finish(withEntries(linked, changes));
  const needsUpdate = parts.some((part) => part.needsUpdate);
  return {
    pkg: needsUpdate ? updateFields(filled) : filled,
    warnings: [...warnings, ...pictures.warnings],
    lockedValues: filler.lockedValues,
  };
}

interface Merged {
  readonly parts: readonly PreparedPart[];
  readonly filler: ValueFiller;
  readonly texts: ReadonlyMap<string, string>;
}

/** Sections that begin and end in places that do not belong together are left out, with a warning. */
function merge(
  scans: readonly PartScan[],
  request: RenderRequest,
  warnings: RenderWarning[],
): Merged {
  try {
    return mergeOnce(scans, request, warnings, false);
  } catch (error) {
    if (!isTemplateError(error)) throw error;
    const part = scans[0]?.part ?? '';
    const message =
      'A repeated or conditional part begins and ends in places that do not belong together.';
    warnings.push({ code: 'INVALID_MARKER', part, message });
    return mergeOnce(scans, request, [], true);
  }
}

function mergeOnce(
  scans: readonly PartScan[],
  request: RenderRequest,
  warnings: RenderWarning[],
  isFlat: boolean,
): Merged {
  const tags = new TemplateTags(scans.map(({ xml }) => xml));
  const preparation: Preparation = { tags, request, warnings, isFlat };
  const parts = scans.flatMap((scan) => preparePart(scan, preparation) ?? []);
  const filler = new ValueFiller(tags, request);
  const texts = mergeParts(
    parts,
    tags,
    (index, rows, prefix) => filler.fill(index, rows, prefix),
    (name, rows) => filler.rows(name, rows),
  );
  return { parts, filler, texts };
}

const isTemplateError = (error: unknown): boolean =>
  error instanceof Error && /^XT|^(?:Template|Multi)\w*Error/.test(error.name);

function markAllContents(scans: readonly PartScan[], changes: Map<string, string>): void {
  for (const { part, xml } of scans) {
    const marked = markContents(changes.get(part) ?? xml);
    if (marked !== xml) changes.set(part, marked);
  }
}
