import { isIdentifier, isName, keyOf, nameOf } from './names.ts';

export type MarkerKind = 'MERGEFIELD' | 'MUSTACHE' | 'BRACKET' | 'GUILLEMET';

/** A marker in the text of a paragraph, by offsets. */
export interface TextMarker {
  readonly kind: MarkerKind;
  readonly start: number;
  readonly end: number;
  readonly raw: string;
  readonly name: string;
  /** `|upper` or, as of a Word field, `\* Upper`. */
  readonly switches: string | undefined;
  readonly valid: boolean;
}

/** Stands in the text of a paragraph for what no marker crosses. */
export const BARRIER = '\0';

const MARKER = /\{\{([^{}\0]*)\}\}|\[\[([^[\]\0]*)\]\]|«([^«»\0]*)»/g;
const SWITCHES = /[|\\]/;
const OPENING = /\{\{|\[\[/;

/** The name and the switches between the delimiters of a marker. */
export function parseMarkerBody(body: string): { name: string; switches: string | undefined } {
  const at = body.search(SWITCHES);
  if (at < 0) return { name: nameOf(body), switches: undefined };
  return { name: nameOf(body.slice(0, at)), switches: body.slice(at).trim() };
}

/**
 * The markers of a text. Empty ones are prose, and so is what stands between guillemets unless it is an identifier or
 * one of the declared names (by key).
 * @param most that are looked for
 */
export function findTextMarkers(
  text: string,
  declared: ReadonlySet<string>,
  most = Number.POSITIVE_INFINITY,
): TextMarker[] {
  const found: TextMarker[] = [];
  MARKER.lastIndex = 0;
  for (let match = MARKER.exec(text); match && found.length < most; match = MARKER.exec(text)) {
    const marker = toMarker(match, declared);
    if (marker) found.push(marker);
    if (!marker?.valid) MARKER.lastIndex = match.index + 1;
  }
  return found;
}

/** Whether a marker begins in a text and does not end there. */
export const hasUnclosed = (text: string): boolean => OPENING.test(text.replace(MARKER, BARRIER));

function toMarker(match: RegExpExecArray, declared: ReadonlySet<string>): TextMarker | undefined {
  const [raw, mustache, bracket, guillemet] = match;
  const { name, switches } = parseMarkerBody(mustache ?? bracket ?? guillemet ?? '');
  const isField = guillemet === undefined || isIdentifier(name) || declared.has(keyOf(name));
  if ((name === '' && switches === undefined) || !isField) return undefined;
  return {
    kind: mustache !== undefined ? 'MUSTACHE' : bracket !== undefined ? 'BRACKET' : 'GUILLEMET',
    start: match.index,
    end: match.index + raw.length,
    raw,
    name,
    switches,
    valid: isName(name),
  };
}
