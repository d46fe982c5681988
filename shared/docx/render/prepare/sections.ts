import { isName, keyOf, nameOf } from '../../markers/names.ts';
import type { FoundMarker, OpenElement } from '../../scan/part-model.ts';
import type { TemplateTags } from '../contract/template-tags.ts';

const SECTION = /^([#^/])\s*(.*)$/s;

/** Replacement of a marker, with the text before and after it. */
export interface SectionEdits {
  /** Of markers that begin or end a section. */
  readonly replaced: ReadonlyMap<FoundMarker, string>;
  readonly before: ReadonlyMap<FoundMarker, string>;
  readonly after: ReadonlyMap<FoundMarker, string>;
  /** Beginnings without an end, and ends without a beginning. */
  readonly unpaired: readonly FoundMarker[];
}

interface OpenSection {
  readonly marker: FoundMarker;
  readonly sign: string;
  readonly name: string;
}

/**
 * Finds what is repeated: between `{{#items}}` and `{{/items}}`, and table rows whose fields begin with the name of a list.
 * @param isList whether a name is that of a list of this generation
 */
export function findSections(
  markers: readonly FoundMarker[],
  tags: TemplateTags,
  isList: (name: string) => boolean,
): SectionEdits {
  const edits = {
    replaced: new Map<FoundMarker, string>(),
    before: new Map<FoundMarker, string>(),
    after: new Map<FoundMarker, string>(),
    unpaired: [] as FoundMarker[],
  };
  const open: OpenSection[] = [];
  const rows = new Map<OpenElement, FoundMarker[]>();
  for (const marker of markers) {
    const [, sign, given = ''] = (marker.place.form === 'text' && SECTION.exec(marker.name)) || [];
    const name = nameOf(given);
    if (sign === undefined) addToRow(marker, open, rows);
    else if (!isName(name)) continue;
    else if (sign !== '/') open.push({ marker, sign, name });
    else close(marker, name, open, tags, edits);
  }
  edits.unpaired.push(...open.map(({ marker }) => marker));
  for (const inRow of rows.values()) repeatRow(inRow, tags, isList, edits);
  return edits;
}

type Edits = {
  readonly replaced: Map<FoundMarker, string>;
  readonly before: Map<FoundMarker, string>;
  readonly after: Map<FoundMarker, string>;
  readonly unpaired: FoundMarker[];
};

function close(
  marker: FoundMarker,
  name: string,
  open: OpenSection[],
  tags: TemplateTags,
  { replaced, unpaired }: Edits,
): void {
  const begun = open.at(-1);
  if (begun === undefined || keyOf(begun.name) !== keyOf(name)) {
    unpaired.push(marker);
    return;
  }
  open.pop();
  const section = tags.section(begun.name, begun.sign === '^' ? 'hidden' : 'shown');
  replaced.set(begun.marker, section.open);
  replaced.set(marker, section.close);
}

function addToRow(
  marker: FoundMarker,
  open: readonly OpenSection[],
  rows: Map<OpenElement, FoundMarker[]>,
): void {
  const row = rowOf(marker.paragraph.element);
  const isWithin = open.some(({ name }) => keyOf(marker.name).startsWith(`${keyOf(name)}.`));
  if (row && marker.valid && !marker.nested && !isWithin)
    rows.set(row, [...(rows.get(row) ?? []), marker]);
}

function rowOf(element: OpenElement | undefined): OpenElement | undefined {
  for (let around = element; around; around = around.parent) {
    if (around.name === 'w:tr') return around;
    if (around.name === 'w:txbxContent') return undefined;
  }
  return undefined;
}

/** Repeats a row for the list that its fields with dots have in common. */
function repeatRow(
  markers: readonly FoundMarker[],
  tags: TemplateTags,
  isList: (name: string) => boolean,
  { before, after }: Edits,
): void {
  const dotted = markers.filter(({ name }) => name.includes('.'));
  const list = listOf(
    dotted.map(({ name }) => name),
    isList,
  );
  const [first, last] = [dotted[0], dotted.at(-1)];
  if (list === undefined || !first || !last) return;
  const row = tags.section(list, 'row');
  before.set(first, row.open);
  after.set(last, row.close);
}

function listOf(names: readonly string[], isList: (name: string) => boolean): string | undefined {
  const segments = names[0]?.split('.') ?? [];
  for (let length = 1; length < segments.length; length += 1) {
    const list = segments.slice(0, length).join('.');
    if (!isList(list)) continue;
    return names.every((name) => keyOf(name).startsWith(`${keyOf(list)}.`)) ? list : undefined;
  }
  return undefined;
}
