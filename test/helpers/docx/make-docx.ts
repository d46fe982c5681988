import { strToU8, zipSync } from 'fflate';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

const NAMESPACES = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  `xmlns:r="${OFFICE}"`,
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:v="urn:schemas-microsoft-com:vml"',
  'xmlns:o="urn:schemas-microsoft-com:office:office"',
].join(' ');

/** What a file has besides its body; each value is the content of the part's root, or of the part itself. */
export interface DocxParts {
  readonly body?: string;
  readonly header?: string;
  readonly footer?: string;
  readonly footnotes?: string;
  readonly endnotes?: string;
  readonly settings?: string;
  /** Relationships of the main document besides those of the parts above, as elements. */
  readonly relationships?: string;
  /** More entries, or others in place of those that are made. */
  readonly entries?: Readonly<Record<string, string | Uint8Array>>;
  /** More elements of `[Content_Types].xml`. */
  readonly types?: string;
  readonly mainType?: string;
}

/** The file of a small document. */
export const makeDocx = (parts: DocxParts): Buffer => zipped(docxEntries(parts));

/** The entries of a small document, as text. */
export function docxEntries(parts: DocxParts): Record<string, string | Uint8Array> {
  const stories = Object.entries({
    header: part(parts.header, 'hdr', 'header'),
    footer: part(parts.footer, 'ftr', 'footer'),
    footnotes: part(parts.footnotes, 'footnotes', 'footnotes'),
    endnotes: part(parts.endnotes, 'endnotes', 'endnotes'),
    settings: part(parts.settings, 'settings', 'settings'),
  }).flatMap(([name, story]) => (story ? [{ name, ...story }] : []));
  return {
    '[Content_Types].xml': contentTypes(stories, parts),
    '_rels/.rels': relationships(relationship('rId1', 'officeDocument', 'word/document.xml')),
    'word/document.xml': document(parts.body ?? ''),
    'word/_rels/document.xml.rels': relationships(
      stories.map(({ name, type }) => relationship(`rId_${name}`, type, `${name}.xml`)).join('') +
        (parts.relationships ?? ''),
    ),
    ...Object.fromEntries(stories.map(({ name, xml }) => [`word/${name}.xml`, xml])),
    ...parts.entries,
  };
}

export const zipped = (entries: Readonly<Record<string, string | Uint8Array>>): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(entries).map(([name, content]) => [
          name,
          typeof content === 'string' ? strToU8(content) : content,
        ]),
      ),
    ),
  );

export const document = (body: string): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`;

export const relationship = (id: string, type: string, target: string, mode = ''): string =>
  `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${mode && ` TargetMode="${mode}"`}/>`;

export const relationships = (elements: string): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${elements}</Relationships>`;

/** A paragraph of runs: one for each text. */
export const paragraph = (...texts: readonly string[]): string =>
  `<w:p>${texts.map(run).join('')}</w:p>`;

export const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;

interface Story {
  readonly type: string;
  readonly xml: string;
}

const part = (content: string | undefined, root: string, type: string): Story | undefined =>
  content === undefined
    ? undefined
    : { type, xml: `<w:${root} ${NAMESPACES}>${content}</w:${root}>` };

function contentTypes(stories: readonly (Story & { name: string })[], parts: DocxParts): string {
  const overrides = stories
    .map(
      ({ name, type }) =>
        `<Override PartName="/word/${name}.xml" ContentType="${WORD}.${type}+xml"/>`,
    )
    .join('');
  return `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${parts.mainType ?? `${WORD}.document.main+xml`}"/>${overrides}${parts.types ?? ''}</Types>`;
}
