import {
  type DocxPackage,
  readXml,
  relationshipsOf,
  withEntries,
} from '../../package/docx-package.ts';

const CONTENTS = /<w:instrText[^<>]*>\s*TOC\b/g;
const BEGIN = /<w:fldChar [^<>]*w:fldCharType="begin"[^<>]*>/g;

/** Marks tables of contents, so that Word makes them anew when the document is opened. */
export function markContents(xml: string): string {
  let marked = xml;
  for (const { index } of [...xml.matchAll(CONTENTS)].reverse()) {
    const begin = [...marked.slice(0, index).matchAll(BEGIN)].at(-1);
    if (begin === undefined || begin[0].includes('w:dirty=')) continue;
    const at = begin.index + '<w:fldChar'.length;
    marked = `${marked.slice(0, at)} w:dirty="true"${marked.slice(at)}`;
  }
  return marked;
}

/** Has Word compute all fields when the document is opened. */
export function updateFields(pkg: DocxPackage): DocxPackage {
  const settings = relationshipsOf(pkg, pkg.mainDocument).find(({ type }) => type === 'settings');
  const name = settings?.partName;
  const xml = name === undefined ? '' : readXml(pkg, name);
  const root = /<([^<>?!/\s:]+:)?settings\b[^<>]*>/.exec(xml);
  if (name === undefined || root === null || /updateFields\b/.test(xml)) return pkg;
  const prefix = root[1] ?? '';
  const element = `<${prefix}updateFields ${prefix}val="true"/>`;
  const at = root.index + root[0].length;
  const whole = root[0].endsWith('/>')
    ? `${xml.slice(0, at - 2)}>${element}</${prefix}settings>${xml.slice(at)}`
    : xml.slice(0, at) + element + xml.slice(at);
  return withEntries(pkg, new Map([[name, whole]]));
}
