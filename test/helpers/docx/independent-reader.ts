import { unzipSync } from 'fflate';
import { Parser } from 'saxen';

/** A stretch of text with the properties of its run, as they are written. */
export interface Stretch {
  readonly text: string;
  readonly format: string;
}

const STORY = /^word\/(?:document|header|footer|footnotes|endnotes)\d*\.xml$/;
const MERGE = /^\s*MERGEFIELD\s+(?:"([^"]*)"|(\S+))/;

type Attributes = Readonly<Record<string, string>>;

interface Field {
  instruction: string;
  shown: boolean;
  format: string | undefined;
  /** The format of its instruction, which `\* CHARFORMAT` asks for. */
  own: string | undefined;
}

/**
 * The paragraphs of each part of a document that has text, read by a parser that the product does not use here. A
 * MERGEFIELD is read as `{{name}}` with the format of its result. Tracked deletions are left out.
 */
export function readParagraphs(file: Uint8Array): Map<string, Stretch[][]> {
  const parts = Object.entries(unzipSync(file)).filter(([name]) => STORY.test(name));
  return new Map(parts.map(([name, bytes]) => [name, new StoryReader().read(decode(bytes))]));
}

const decode = (bytes: Uint8Array): string =>
  new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-8').decode(bytes);

class StoryReader {
  readonly #done: Stretch[][] = [];
  readonly #open: Stretch[][] = [];
  readonly #fields: Field[] = [];
  readonly #path: string[] = [];
  #format = '';
  #runFormat: string | undefined;

  read(xml: string): Stretch[][] {
    new Parser()
      .on('openTag', (name, attributes, decodeEntities) =>
        this.#opened(name, attributes() || {}, decodeEntities),
      )
      .on('closeTag', (name) => this.#closed(name))
      .on('text', (text, decodeEntities) => this.#text(decodeEntities(text)))
      .parse(xml);
    return this.#done;
  }

  #opened(name: string, attrs: Attributes, decodeEntities: (text: string) => string): void {
    this.#path.push(name);
    if (name === 'w:p') this.#open.push([]);
    else if (name === 'w:r') [this.#format, this.#runFormat] = ['', undefined];
    else if (name === 'w:rPr' && this.#path.at(-2) === 'w:r') this.#runFormat = '';
    else if (this.#runFormat !== undefined) this.#runFormat += `${name}${JSON.stringify(attrs)} `;
    else if (name === 'w:tab' || name === 'w:br') this.#add('\t');
    else if (name === 'w:fldSimple')
      this.#fields.push({
        instruction: decodeEntities(attrs['w:instr'] ?? ''),
        shown: true,
        format: undefined,
        own: undefined,
      });
    else if (name === 'w:fldChar') this.#fieldCharacter(attrs['w:fldCharType']);
  }

  #closed(name: string): void {
    this.#path.pop();
    if (name === 'w:p') this.#done.push(this.#open.pop() ?? []);
    else if (name === 'w:rPr' && this.#runFormat !== undefined)
      [this.#format, this.#runFormat] = [this.#runFormat, undefined];
    else if (name === 'w:fldSimple') this.#endField();
  }

  #text(text: string): void {
    const element = this.#path.at(-1);
    const field = this.#fields.at(-1);
    if (element === 'w:instrText' && field) {
      field.instruction += text;
      field.own ??= this.#format;
    }
    if (element !== 'w:t' || this.#path.includes('w:moveFrom')) return;
    const merge = this.#fields.find(({ instruction }) => MERGE.test(instruction));
    if (merge) merge.format ??= this.#format;
    else this.#add(text);
  }

  #fieldCharacter(type: string | undefined): void {
    const field = this.#fields.at(-1);
    if (type === 'begin')
      this.#fields.push({ instruction: '', shown: false, format: undefined, own: undefined });
    else if (type === 'separate' && field) field.shown = true;
    else if (type === 'end') this.#endField();
  }

  #endField(): void {
    const field = this.#fields.pop();
    const [, quoted, bare] = MERGE.exec(field?.instruction ?? '') ?? [];
    const name = quoted ?? bare;
    if (!field || name === undefined || !this.#fields.every(({ shown }) => shown)) return;
    const isOwn = /CHARFORMAT/i.test(field.instruction);
    const format = (isOwn ? field.own : field.format) ?? field.own ?? this.#format;
    this.#open.at(-1)?.push({ text: `{{${name}}}`, format });
  }

  #add(text: string): void {
    this.#open.at(-1)?.push({ text, format: this.#format });
  }
}

/** Texts of paragraphs in which all styles of markers look the same, without their switches. */
export const alike = (paragraphs: readonly Stretch[][]): string[] =>
  paragraphs.map((stretches) =>
    stretches
      .map(({ text }) => text)
      .join('')
      .replace(/\[\[\s*([^[\]]+?)\s*\]\]/g, '{{$1}}')
      .replace(/\{\{\s*([^{}|\\]*?)\s*(?:[|\\][^{}]*)?\}\}/g, '{{$1}}'),
  );

/** The markers of a text with the format of their first characters. */
export function formatsOfMarkers(paragraphs: readonly Stretch[][]): string[] {
  return paragraphs.flatMap((stretches) => {
    const text = stretches.map((stretch) => stretch.text).join('');
    return [
      ...text.matchAll(
        /\{\{\s*([\p{L}_][^{}|\\]*?)\s*(?:[|\\][^{}]*)?\}\}|\[\[\s*([\p{L}_][^[\]|\\:(]*?)\s*\]\]/gu,
      ),
    ].map((match) => `${match[1] ?? match[2]} ${formatAt(stretches, match.index)}`);
  });
}

function formatAt(stretches: readonly Stretch[], offset: number): string {
  let at = 0;
  for (const { text, format } of stretches) {
    at += text.length;
    if (at > offset) return format;
  }
  return '';
}
