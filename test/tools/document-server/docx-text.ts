import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';

const MAIN_PART = 'word/document.xml';
/** Paragraphs without others inside. */
const PARAGRAPH = /<w:p(?: [^>]*)?>(?:(?!<w:p[ >])[\s\S])*?<\/w:p>/g;
const TEXT = /<w:t(?: [^>]*)?>([^<]*)<\/w:t>/g;

/** The texts of a file that the editor shows: paragraphs of a DOCX, lines of a plain text. */
export function readTexts(bytes: Uint8Array, fileType: string): string[] {
  if (fileType === 'txt') return Buffer.from(bytes).toString('utf8').split('\n');
  const paragraphs = mainPart(bytes).match(PARAGRAPH) ?? [];
  return paragraphs.map((paragraph) =>
    [...paragraph.matchAll(TEXT)].map(([, text = '']) => plainText(text)).join(''),
  );
}

/** The file with other texts. A changed paragraph has its text in one run; others stay as they are. */
export function writeTexts(
  bytes: Uint8Array,
  fileType: string,
  texts: readonly string[],
): Uint8Array {
  if (fileType === 'txt') return strToU8(texts.join('\n'));
  const known = readTexts(bytes, fileType);
  let index = -1;
  const xml = mainPart(bytes).replace(PARAGRAPH, (paragraph) => {
    index += 1;
    const text = texts[index];
    return text === undefined || text === known[index] ? paragraph : withText(paragraph, text);
  });
  return zipSync({ ...unzipSync(bytes), [MAIN_PART]: strToU8(xml) });
}

function withText(paragraph: string, text: string): string {
  let isFirst = true;
  const changed = paragraph.replace(TEXT, () => {
    const kept = isFirst ? element(text) : '<w:t></w:t>';
    isFirst = false;
    return kept;
  });
  return isFirst ? changed.replace(/<\/w:p>$/, () => `<w:r>${element(text)}</w:r></w:p>`) : changed;
}

const element = (text: string): string => `<w:t xml:space="preserve">${escapeText(text)}</w:t>`;

function mainPart(bytes: Uint8Array): string {
  const part = unzipSync(bytes, { filter: ({ name }) => name === MAIN_PART })[MAIN_PART];
  if (!part) throw new Error('the file has no main document');
  return strFromU8(part);
}

const escapeText = (text: string): string =>
  text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

const plainText = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    return hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : (NAMED[name] ?? whole);
  });
