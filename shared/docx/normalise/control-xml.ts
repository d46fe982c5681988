import { nameOf, tagOf } from '../markers/names.ts';
import { hasProperty, propertyOf, textOf } from '../scan/control-facts.ts';
import type { Control, FoundMarker, OpenElement, Run, Span } from '../scan/part-model.ts';
import { piecesIn } from '../scan/pieces.ts';
import { encodeText, encodeXml } from '../xml/character-data.ts';
import type { ControlIds } from './control-ids.ts';

const STRICT = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
const TRANSITIONAL = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** Properties that the control of a field has of its own, or may not have. */
const REPLACED =
  /^w:(?:rPr|alias|tag|id|temporary|showingPlcHdr|dataBinding|text|richText|comboBox|dropDownList|date|citation|equation|picture)$|^w14:checkbox$|^w15:dataBinding$/;

/** The text of a field: guillemets stay, since one without value keeps its text. */
function canonicalText({ kind, name, switches = '' }: FoundMarker): string {
  const body = `${name}${switches.startsWith('\\') ? ' ' : ''}${switches}`;
  return kind === 'GUILLEMET' ? `«${body}»` : `{{${body}}}`;
}

/** How the elements of a part are written. */
export interface Writing {
  readonly xml: string;
  readonly ids: ControlIds;
}

/** The control of a marker, with the format of a run. */
export function controlXml(
  { xml, ids }: Writing,
  marker: FoundMarker,
  format: Span | undefined,
  replaced?: Control,
): string {
  const { prefix, attribute, declaration } = prefixesOf(xml, marker.paragraph.element);
  const rPr = format ? xml.slice(format.start, format.end) : '';
  const property = (name: string, value: string): string =>
    `<${prefix}${name} ${attribute}val="${encodeXml(value)}"/>`;
  const kept = (replaced?.properties ?? [])
    .filter(({ name }) => !REPLACED.test(name))
    .map(({ start, end }) => xml.slice(start, end));
  return [
    `<${prefix}sdt${declaration}><${prefix}sdtPr>${rPr}`,
    property('alias', marker.name) + property('tag', tagOf(marker.name)),
    property('id', String(ids.idFor(replaced))),
    ...kept,
    `<${prefix}text ${attribute}multiLine="1"/></${prefix}sdtPr>`,
    `<${prefix}sdtContent><${prefix}r>${rPr}<${prefix}t>${encodeText(canonicalText(marker))}</${prefix}t></${prefix}r></${prefix}sdtContent></${prefix}sdt>`,
  ].join('');
}

/** Names of elements and attributes; where the namespace has no prefix, attributes need one that is declared. */
function prefixesOf(
  xml: string,
  { prefix }: OpenElement,
): { prefix: string; attribute: string; declaration: string } {
  if (prefix !== '') return { prefix, attribute: prefix, declaration: '' };
  const uri = xml.includes(STRICT) ? STRICT : TRANSITIONAL;
  return { prefix, attribute: 'svcw:', declaration: ` xmlns:svcw="${uri}"` };
}

/** Whether the control of a marker is already what `controlXml` makes of it. */
export function isCanonical(marker: FoundMarker, control: Control, ids: ControlIds): boolean {
  const { paragraph, name } = marker;
  const pieces = piecesIn(paragraph.pieces, textOf(control));
  const [piece] = pieces;
  const text = canonicalText(marker);
  return (
    propertyOf(control, 'w:tag') === tagOf(name) &&
    nameOf(propertyOf(control, 'w:alias') ?? '') === name &&
    hasProperty(control, 'w:text') &&
    !FORBIDDEN.some((property) => hasProperty(control, property)) &&
    ids.isOwn(control) &&
    pieces.length === 1 &&
    piece?.text === text &&
    fills(piece.run, control) &&
    piece.run.firstChild === piece.start &&
    piece.run.lastChild === piece.end
  );
}

const FORBIDDEN = ['w:dataBinding', 'w15:dataBinding', 'w:showingPlcHdr', 'w:temporary'];

const fills = (run: Run, { content }: Control): boolean =>
  run.start === content.start && run.end === content.end;
