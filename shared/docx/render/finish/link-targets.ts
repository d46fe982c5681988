import { isName } from '../../markers/names.ts';
import { parseMarkerBody } from '../../markers/text-markers.ts';
import {
  type DocxPackage,
  readXml,
  relationshipsOf,
  withEntries,
} from '../../package/docx-package.ts';
import { relationshipsPartOf } from '../../package/relationships.ts';
import { encodeXml } from '../../xml/character-data.ts';
import { Splices } from '../../xml/splices.ts';
import type { RenderRequest, RenderWarning } from '../contract/request.ts';
import { isSafeTarget } from '../contract/safe-target.ts';

const MARKER = /(?:\{|%7[Bb]){2}((?:[^{}%]|%(?!7[BbDd]))*)(?:\}|%7[Dd]){2}/g;
const TARGET = /\bTarget\s*=\s*(?:"[^"]*"|'[^']*')/;

/** Fills markers in the targets of links; a target other than a web page or mail address stays as it is. */
export function fillLinks(
  pkg: DocxPackage,
  request: RenderRequest,
  warnings: RenderWarning[],
): DocxPackage {
  const changes = new Map<string, string>();
  for (const { name } of pkg.textParts) {
    const part = relationshipsPartOf(name);
    const xml = readXml(pkg, part);
    const filled = /\{\{|%7[Bb]%7[Bb]/.test(xml)
      ? fillPart(pkg, name, xml, request, warnings)
      : xml;
    if (filled !== xml) changes.set(part, filled);
  }
  return changes.size === 0 ? pkg : withEntries(pkg, changes);
}

function fillPart(
  pkg: DocxPackage,
  name: string,
  xml: string,
  request: RenderRequest,
  warnings: RenderWarning[],
): string {
  const splices = new Splices();
  for (const { type, target, start, end } of relationshipsOf(pkg, name)) {
    const filled = type === 'hyperlink' ? fillTarget(target, request) : undefined;
    if (filled === undefined) continue;
    if (!isSafeTarget(filled)) warnings.push(rejected(name));
    else splices.replace(start, end, withTarget(xml.slice(start, end), filled));
  }
  return splices.apply(xml);
}

const rejected = (part: string): RenderWarning => ({
  code: 'LINK_TARGET_REJECTED',
  part,
  message: 'A link leads to something else than http, https or mailto.',
});

const withTarget = (element: string, target: string): string =>
  element.replace(TARGET, () => `Target="${encodeXml(target)}"`);

/** A value is the whole target, or one encoded piece of it. */
function fillTarget(target: string, request: RenderRequest): string | undefined {
  let isFilled = false;
  const filled = target.replaceAll(MARKER, (marker: string, body: string) => {
    const { name, switches } = parseMarkerBody(decoded(body));
    if (!isName(name)) return marker;
    isFilled = true;
    const { shown } = request.valueOf(name, switches, []);
    const text = shown.kind === 'text' ? shown.text.toWellFormed() : '';
    return marker === target ? encodeURI(text) : encodeURIComponent(text);
  });
  return isFilled ? filled : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
