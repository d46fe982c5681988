import Docxtemplater from 'docxtemplater';
import PizZip from 'pizzip';
import { Row } from '../contract/request.ts';
import type { TemplateTags } from '../contract/template-tags.ts';
import type { PreparedPart } from '../prepare/prepare-part.ts';

/** Fills one place: what comes is the content of a text element. */
export type Fill = (index: number, rows: readonly Row[], prefix: string) => string;

/** Value of a section: rows, one for each element, or whether it is shown at all. */
export type SectionRows = (name: string, rows: readonly Row[]) => readonly Row[] | boolean;

const MODULE = 'svc/value';
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

/**
 * Replaces the tags of all parts: by docxtemplater where something is repeated or shown under a condition. Elsewhere, and
 * in parts whose elements have another prefix than `w`, which it does not read, they are replaced one by one.
 * @throws an error of docxtemplater when sections begin and end in places that do not belong together
 */
export function mergeParts(
  parts: readonly PreparedPart[],
  tags: TemplateTags,
  fill: Fill,
  sectionRows: SectionRows,
): ReadonlyMap<string, string> {
  const isSection = new RegExp(`${tags.start}[^v]`);
  const usual = parts.filter(({ prefix, xml }) => prefix === 'w:' && isSection.test(xml));
  const merged = new Map(usual.length === 0 ? [] : byDocxtemplater(usual, tags, fill, sectionRows));
  for (const { name, xml, prefix } of parts) {
    if (!merged.has(name)) merged.set(name, oneByOne(xml, tags, fill, prefix));
  }
  return merged;
}

interface ScopeOptions {
  readonly scopeManager: { readonly scopeList: readonly unknown[] };
}

interface Part {
  readonly type: string;
  readonly value: string;
  readonly module?: string;
}

const rowsOf = (scopes: readonly unknown[]): Row[] =>
  scopes.filter((scope) => scope instanceof Row);

function byDocxtemplater(
  parts: readonly PreparedPart[],
  { start, end, sections }: TemplateTags,
  fill: Fill,
  sectionRows: SectionRows,
): [string, string][] {
  const zip = toZip(parts);
  const parser = new SectionParser(sections, sectionRows);
  const template = new Docxtemplater(zip, {
    delimiters: { start, end },
    paragraphLoop: true,
    linebreaks: true,
    errorLogging: false,
    nullGetter: () => '',
    parser: (tag: string) => ({ get: (_scope, { scopeList }) => parser.rows(tag, scopeList) }),
    modules: [valueModule(fill)],
  });
  try {
    template.render({});
  } catch (error) {
    throw parser.thrown ?? error;
  }
  return parts.map(({ name }, index) => [name, zip.file(nameAt(index))?.asText() ?? '']);
}

/** Writes the XML of each value itself. */
const valueModule = (fill: Fill) => ({
  name: MODULE,
  parse: (content: string) =>
    /^v\d+$/.test(content)
      ? { type: 'placeholder', value: content.slice(1), module: MODULE }
      : null,
  render: (part: Part, { scopeManager }: ScopeOptions) =>
    part.module === MODULE
      ? { value: fill(Number(part.value), rowsOf(scopeManager.scopeList), 'w:'), errors: [] }
      : null,
});

class SectionParser {
  /** First error of a section: docxtemplater wraps it into an error of its own. */
  thrown: unknown;
  readonly #sections: readonly string[];
  readonly #rows: SectionRows;

  constructor(sections: readonly string[], rows: SectionRows) {
    this.#sections = sections;
    this.#rows = rows;
  }

  rows(tag: string, scopes: readonly unknown[]): readonly Row[] | boolean {
    try {
      return this.#rows(this.#sections[Number(tag.slice(1))] ?? '', rowsOf(scopes));
    } catch (error) {
      this.thrown ??= error;
      throw error;
    }
  }
}

/** The name of a part in the archive that docxtemplater sees; the first one is its main document. */
const nameAt = (index: number): string => `word/part${index}.xml`;

/**
 * Every part is shown as a main document or as a header, so that docxtemplater fills them all, endnotes too, and nothing
 * else.
 */
function toZip(parts: readonly PreparedPart[]): PizZip {
  const zip = new PizZip();
  const overrides = parts.map((_part, index) => {
    const type = index === 0 ? 'document.main' : 'header';
    return `<Override PartName="/${nameAt(index)}" ContentType="${WORD}.${type}+xml"/>`;
  });
  zip.file(
    '[Content_Types].xml',
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${overrides.join('')}</Types>`,
  );
  parts.forEach(({ xml }, index) => {
    zip.file(nameAt(index), xml);
  });
  return zip;
}

function oneByOne(xml: string, { start, end }: TemplateTags, fill: Fill, prefix: string): string {
  return xml.replaceAll(new RegExp(`${start}([^${end}]*)${end}`, 'g'), (_tag, content: string) =>
    content.startsWith('v') ? fill(Number(content.slice(1)), [], prefix) : '',
  );
}
