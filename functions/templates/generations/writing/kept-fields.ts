import {
  type DocxPackage,
  readXml,
  Splices,
  tokenise,
  withEntries,
  type XmlTag,
} from '../../../../shared/docx/index.ts';

/** Tables whose entries LibreOffice would leave out or choose wrongly, as it does not know where they come from. */
const NOT_MADE_ANEW = /^\s*(?:BIBLIOGRAPHY\b|TOC\b.*\\[bns]\b)/is;
/** Before an instruction it makes one that no program carries out: what the file shows of the field is printed. */
const KEPT = 'KEPT ';
/** Parts without such fields are not read. */
const HINT = /\b(?:BIBLIOGRAPHY|TOC)\b/i;

/** A document to print, in which tables of contents keep what they show unless the engine makes them anew rightly. */
export function withKeptFields(pkg: DocxPackage): DocxPackage {
  const changes = new Map<string, string>();
  for (const { name } of pkg.textParts) {
    const xml = readXml(pkg, name);
    if (!HINT.test(xml)) continue;
    const splices = new KeptFields(xml).read(pkg.limits.xmlDepth);
    if (!splices.isEmpty) changes.set(name, splices.apply(xml));
  }
  return changes.size === 0 ? pkg : withEntries(pkg, changes);
}

/** A field whose instruction is being read. */
interface Field {
  /** Where the first piece of the instruction begins. */
  start: number | undefined;
  instruction: string;
}

/** Collects the instructions of fields over their runs. */
class KeptFields {
  readonly #xml: string;
  readonly #splices = new Splices();
  readonly #open: Field[] = [];
  #isInstruction = false;

  constructor(xml: string) {
    this.#xml = xml;
  }

  read(depth: number): Splices {
    const visitor = {
      open: (tag: XmlTag) => this.#opened(tag),
      close: () => {
        this.#isInstruction = false;
      },
      text: (start: number, end: number) => this.#text(start, end),
    };
    // The package was taken within the limit of tokens; values that were filled in may have added to them.
    tokenise(this.#xml, visitor, { depth, budget: { tokens: Number.POSITIVE_INFINITY } });
    return this.#splices;
  }

  #opened(tag: XmlTag): void {
    this.#isInstruction = tag.name === 'w:instrText';
    if (tag.name === 'w:fldChar') this.#character(tag.attribute('w:fldCharType'));
    else if (tag.name === 'w:fldSimple') this.#simple(tag);
  }

  #text(start: number, end: number): void {
    const field = this.#open.at(-1);
    if (!this.#isInstruction || !field) return;
    field.start ??= start;
    field.instruction += this.#xml.slice(start, end);
  }

  #character(type: string | undefined): void {
    if (type === 'begin') this.#open.push({ start: undefined, instruction: '' });
    else if (type === 'separate') this.#decide();
    else if (type === 'end') this.#open.pop();
  }

  #decide(): void {
    const field = this.#open.at(-1);
    if (field?.start === undefined || !NOT_MADE_ANEW.test(field.instruction)) return;
    this.#splices.insert(field.start, KEPT);
  }

  #simple(tag: XmlTag): void {
    const span = tag.attributeSpan('w:instr');
    if (span === undefined || !NOT_MADE_ANEW.test(tag.attribute('w:instr') ?? '')) return;
    const quote = this.#xml.slice(span.start, span.end).search(/["']/);
    this.#splices.insert(span.start + quote + 1, KEPT);
  }
}
