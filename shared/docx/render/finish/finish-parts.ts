import { type DocxPackage, readXml, withEntries } from '../../package/docx-package.ts';
import { relationshipsPartOf } from '../../package/relationships.ts';
import { encodeXml } from '../../xml/character-data.ts';
import type { RenderWarning } from '../contract/request.ts';
import { textXml } from '../contract/text-xml.ts';
import { EMPTY_MARK, PICTURE_MARK, type Picture } from '../fill/fill-values.ts';
import { drawingXml, type MadePicture } from '../pictures/pictures.ts';
import { LOCK_MARK } from '../prepare/part-edits.ts';

const LOCK = new RegExp(`<([^<>\\s]*:)?lock [^<>]*"${LOCK_MARK}"/>`, 'g');
const CONTROL_ID = /(<(?:[^<>\s/]*:)?id [^<>]*?val=")(-?\d+)(?=")/g;
const FIRST_ID = 1_500_000_000;
const FIRST_DRAWING = 1_000_000;

/** Puts the locks into the controls of a part, in their order; the controls that are not locked have none. */
export function applyLocks(xml: string, locks: readonly boolean[]): string {
  let at = 0;
  const done = xml.replaceAll(LOCK, (_mark, prefix: string = '') =>
    locks[at++] ? `<${prefix}lock ${prefix}val="sdtContentLocked"/>` : '',
  );
  if (at !== locks.length) throw new RangeError(`${at} controls have ${locks.length} locks.`);
  return done;
}

/** Gives the controls of repeated parts numbers of their own. */
export class ControlNumbers {
  /** Those of the template: the first control that has one keeps it. */
  readonly #reserved = new Set<string>();
  readonly #used = new Set<string>();
  #next = FIRST_ID;

  constructor(texts: readonly string[]) {
    for (const text of texts)
      for (const [, , id = ''] of text.matchAll(CONTROL_ID)) this.#reserved.add(id);
  }

  apply(xml: string): string {
    return xml.replaceAll(CONTROL_ID, (_id, start: string, id: string) => {
      const own = this.#used.has(id) ? this.#take() : id;
      this.#used.add(own);
      return start + own;
    });
  }

  #take(): string {
    while (this.#reserved.has(String(this.#next))) this.#next += 1;
    return String(this.#next++);
  }
}

const FOLLOWED = /^(?:<[^<>/\s:]*:?(?:bookmarkEnd|proofErr)\b[^<>]*\/>)*<w:(?:p|tbl|sdt)[\s>/]/;
const CONTENT =
  /<w:(?:t|br|tab|drawing|pict|object|fldChar|fldSimple|sectPr|sym|footnoteReference|endnoteReference|instrText)\b/;
const EMPTY_TEXT = /<w:t(?:\s[^<>]*)?(?:\/>|><\/w:t>)/g;

/** Removes paragraphs whose fields were all empty; the last one of a cell or of a part stays. */
export function removeEmptyParagraphs(xml: string): string {
  if (!xml.includes(EMPTY_MARK)) return xml;
  const kept: string[] = [];
  let from = 0;
  for (let at = xml.indexOf(EMPTY_MARK); at >= 0; at = xml.indexOf(EMPTY_MARK, from)) {
    const start = Math.max(xml.lastIndexOf('<w:p>', at), xml.lastIndexOf('<w:p ', at), from);
    const end = Math.max(xml.indexOf('</w:p>', at) + '</w:p>'.length, at + EMPTY_MARK.length);
    const paragraph = xml.slice(start, end).replaceAll(EMPTY_MARK, '');
    const isEmpty = !CONTENT.test(paragraph.replaceAll(EMPTY_TEXT, ''));
    const isRemoved = isEmpty && FOLLOWED.test(xml.slice(end, end + 200));
    kept.push(xml.slice(from, start), isRemoved ? '' : paragraph);
    from = end;
  }
  return kept.join('') + xml.slice(from);
}

/** Puts pictures into the parts of a package, with their relationships and types. */
export class PictureWriter {
  readonly warnings: RenderWarning[] = [];
  readonly #pictures: readonly Picture[];
  readonly #made: readonly (MadePicture | undefined)[];
  readonly #changes = new Map<string, string | Uint8Array>();
  readonly #media = new Map<Uint8Array, string>();
  #number = FIRST_DRAWING;

  constructor(pictures: readonly Picture[], made: readonly (MadePicture | undefined)[]) {
    this.#pictures = pictures;
    this.#made = made;
  }

  /** Puts the pictures of a part in their places. */
  write(pkg: DocxPackage, part: string, xml: string, prefix: string): string {
    const links: string[] = [];
    const written = xml.replaceAll(PICTURE_MARK, (_mark, index: string) => {
      const made = this.#made[Number(index)];
      if (made === undefined) return this.#textInstead(Number(index), part, prefix);
      const number = this.#number++;
      const image = `svcImage${number}`;
      links.push(relationship(image, 'image', `/${this.#mediaOf(made)}`));
      const link = made.link === undefined ? undefined : `svcPlace${number}`;
      if (link && made.link) links.push(relationship(link, 'hyperlink', made.link, 'External'));
      return drawingXml(made, { image, link, number }, prefix);
    });
    if (links.length > 0) this.#link(pkg, part, links);
    return written;
  }

  /** The package with the pictures. */
  finish(pkg: DocxPackage): DocxPackage {
    if (this.#media.size === 0) return pkg;
    this.#changes.set(
      '[Content_Types].xml',
      this.#contentTypes(readXml(pkg, '[Content_Types].xml')),
    );
    return withEntries(pkg, this.#changes);
  }

  #mediaOf({ bytes, extension }: MadePicture): string {
    const known = this.#media.get(bytes);
    if (known !== undefined) return known;
    const name = `word/media/svcImage${this.#media.size + 1}.${extension}`;
    this.#media.set(bytes, name);
    this.#changes.set(name, bytes);
    return name;
  }

  #textInstead(index: number, part: string, prefix: string): string {
    const picture = this.#pictures[index];
    const field = picture?.kind === 'image' ? { field: picture.description } : {};
    const message = 'The value is no picture that the document can show.';
    this.warnings.push({ code: 'FORMAT_FAILED', part, ...field, message });
    return picture?.kind === 'code'
      ? `<${prefix}t>${textXml(picture.text, prefix)}</${prefix}t>`
      : '';
  }

  #link(pkg: DocxPackage, part: string, links: readonly string[]): void {
    const name = relationshipsPartOf(part);
    const xml = readXml(pkg, name);
    const empty = `<Relationships xmlns="${PACKAGE}/relationships"></Relationships>`;
    const whole = (xml === '' ? empty : xml).replace(
      /<Relationships([^<>]*)\/>/,
      '<Relationships$1></Relationships>',
    );
    const at = whole.lastIndexOf('</');
    this.#changes.set(name, whole.slice(0, at) + links.join('') + whole.slice(at));
  }

  #contentTypes(xml: string): string {
    const extensions = new Set(
      [...this.#media.values()].map((name) => name.slice(name.lastIndexOf('.') + 1)),
    );
    const missing = [...extensions].filter(
      (extension) => !new RegExp(`Extension\\s*=\\s*["']${extension}["']`, 'i').test(xml),
    );
    const defaults = missing.map(
      (extension) => `<Default Extension="${extension}" ContentType="image/${extension}"/>`,
    );
    return xml.replace(/<Types\b[^<>]*>/, (types) => types + defaults.join(''));
  }
}

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const relationship = (id: string, type: string, target: string, mode?: string): string =>
  `<Relationship xmlns="${PACKAGE}/relationships" Id="${id}" Type="${DOCUMENT}/${type}" Target="${encodeXml(target)}"${
    mode ? ` TargetMode="${mode}"` : ''
  }/>`;
