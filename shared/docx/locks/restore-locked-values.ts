import { isFieldTag, keyOf, nameOf, nameOfTag, tagOf } from '../markers/names.ts';
import { BARRIER } from '../markers/text-markers.ts';
import { type DocxPackage, withEntries } from '../package/docx-package.ts';
import type { LockedValue } from '../render/contract/request.ts';
import { textXml } from '../render/contract/text-xml.ts';
import type { Control, PartScan } from '../scan/part-model.ts';
import { piecesIn } from '../scan/pieces.ts';
import { scanPackage } from '../scan/scan-package.ts';
import { encodeXml } from '../xml/character-data.ts';
import { Splices } from '../xml/splices.ts';
import { type Comparable, pairLockedValues } from './locked-pairs.ts';

export interface LockWarning {
  readonly code: 'LOCKED_FIELD_MODIFIED' | 'LOCKED_FIELD_MISSING';
  readonly field: string;
  readonly part: string;
  readonly message: string;
}

export interface RestoredDocument {
  readonly pkg: DocxPackage;
  readonly warnings: readonly LockWarning[];
}

interface Place extends Comparable {
  readonly control: Control;
  readonly edited: EditedPart;
}

interface EditedPart {
  readonly scan: PartScan;
  readonly splices: Splices;
}

/**
 * Puts the values back that were locked when a document was generated, and their locks. Where a control is gone, the text
 * stays as the editor saved it.
 * @param stored as `renderDocx` returned them
 * @throws DocxRefused
 */
export function restoreLockedValues(
  pkg: DocxPackage,
  stored: readonly LockedValue[],
): RestoredDocument {
  const names = [...new Map(stored.map(({ name }) => [keyOf(name), name])).values()];
  const parts = scanPackage(pkg, names).map((scan) => ({ scan, splices: new Splices() }));
  const places = Map.groupBy(
    parts.flatMap((edited) => placesOf(edited, names)),
    ({ key }) => key,
  );
  const warnings = names.flatMap((name) => {
    const values = stored.filter((value) => keyOf(value.name) === keyOf(name));
    return restoreField(name, values, places.get(keyOf(name)) ?? []);
  });
  const changes = parts
    .filter(({ splices }) => !splices.isEmpty)
    .map(({ scan, splices }): [string, string] => [scan.part, splices.apply(scan.xml)]);
  return { pkg: changes.length === 0 ? pkg : withEntries(pkg, new Map(changes)), warnings };
}

function restoreField(
  name: string,
  values: readonly LockedValue[],
  places: readonly Place[],
): LockWarning[] {
  const comparable = values.map((value) => ({ ...value, text: comparableText(value.text), value }));
  const { found, missing } = pairLockedValues(comparable, places);
  const modified = found.filter(({ place, value }) => place.text !== value.text);
  for (const { place } of found) lockControl(place, name);
  for (const { place, value } of modified) rewrite(place, value.value.text);
  return [
    ...modified.map(
      ({ place }): LockWarning => ({
        code: 'LOCKED_FIELD_MODIFIED',
        field: name,
        part: place.edited.scan.part,
        message: 'The value was changed; it is back.',
      }),
    ),
    ...missing.map(
      ({ part }): LockWarning => ({
        code: 'LOCKED_FIELD_MISSING',
        field: name,
        part,
        message: 'The field is no longer in the document.',
      }),
    ),
  ];
}

/** Ends of lines and tabs have no characters in the text of a paragraph. */
const comparableText = (text: string): string => text.replaceAll(/[\n\t\0]+/g, BARRIER);

/** Controls of the fields, by their tag, or by their alias where an editor has dropped it. */
function placesOf(edited: EditedPart, names: readonly string[]): (Place & { key: string })[] {
  return edited.scan.controls.flatMap((control) => {
    const { paragraph } = control;
    const name = nameOfControl(control, names);
    if (paragraph === undefined || name === undefined) return [];
    const text = comparableText(paragraph.text.slice(control.textStart, control.textEnd));
    return [{ control, edited, text, isCopy: paragraph.inFallback, key: keyOf(name) }];
  });
}

function nameOfControl(control: Control, names: readonly string[]): string | undefined {
  const tag = propertyOf(control, 'w:tag') ?? '';
  const name = isFieldTag(tag)
    ? nameOfTag(tag, names)
    : nameOf(propertyOf(control, 'w:alias') ?? '');
  return names.find((known) => keyOf(known) === keyOf(name ?? ''));
}

const propertyOf = ({ properties }: Control, wanted: string): string | undefined =>
  properties.find(({ name }) => name === wanted)?.value;

function lockControl({ control, edited: { scan, splices } }: Place, name: string): void {
  const { element, properties } = control;
  const { prefix } = element;
  const isLocked = propertyOf(control, 'w:lock') === 'sdtContentLocked';
  const isTagged = isFieldTag(propertyOf(control, 'w:tag') ?? '');
  if (isLocked && isTagged) return;
  for (const property of properties) {
    const isOld = property.name === 'w:lock' || (property.name === 'w:tag' && !isTagged);
    if (isOld) splices.remove(property.start, property.end);
  }
  const tag = isTagged ? '' : `<${prefix}tag ${prefix}val="${encodeXml(tagOf(name))}"/>`;
  const lock = `<${prefix}lock ${prefix}val="sdtContentLocked"/>`;
  const after = properties.find(
    (property) => property.name === 'w:id' || property.name === 'w:alias',
  );
  const at = after?.end ?? scan.xml.indexOf(`</${prefix}sdtPr>`, element.start);
  if (at > 0 && at < control.content.start) splices.insert(at, tag + lock);
}

function rewrite({ control, edited: { scan, splices } }: Place, text: string): void {
  const { content, element, paragraph } = control;
  const { prefix } = element;
  const [first] = piecesIn(paragraph?.pieces ?? [], content, 'start');
  const format = first?.run.properties;
  const properties = format ? scan.xml.slice(format.start, format.end) : '';
  const shown = `<${prefix}t xml:space="preserve">${textXml(text, prefix)}</${prefix}t>`;
  splices.replace(content.start, content.end, `<${prefix}r>${properties}${shown}</${prefix}r>`);
}
