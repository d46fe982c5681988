import { unzipSync } from 'fflate';
import { Parser } from 'saxen';

/** A control of an output document. */
export interface ReadControl {
  readonly tag: string;
  readonly lock: string;
  readonly id: string;
  text: string;
}

export interface ReadPart {
  /** Texts of paragraphs; ends of lines as `\n`, tabs as `\t`, pictures as `[picture]`, fields as `[PAGE]`. */
  readonly paragraphs: readonly string[];
  readonly controls: readonly ReadControl[];
  /** Texts with the properties of their runs, as they are written. */
  readonly runs: readonly (readonly [text: string, format: string])[];
  readonly instructions: readonly string[];
}

export const entriesOf = (file: Uint8Array): Record<string, Uint8Array> => unzipSync(file);

export const textOfEntry = (file: Uint8Array, name: string): string =>
  new TextDecoder().decode(entriesOf(file)[name]);

/** Reads a part of a document, by a parser that the product does not use for documents. */
export function readPart(file: Uint8Array, name = 'word/document.xml'): ReadPart {
  return new OutputReader().read(textOfEntry(file, name));
}

const CHARACTERS = new Map([
  ['w:br', '\n'],
  ['w:tab', '\t'],
  ['w:drawing', '[picture]'],
]);

class OutputReader {
  readonly #paragraphs: string[] = [];
  readonly #open: number[] = [];
  readonly #controls: ReadControl[] = [];
  readonly #openControls: { tag: string; lock: string; id: string; text: string }[] = [];
  readonly #runs: [string, string][] = [];
  readonly #instructions: string[] = [];
  readonly #path: string[] = [];
  #format = '';

  read(xml: string): ReadPart {
    new Parser()
      .on('error', (error: Error) => {
        throw error;
      })
      .on('openTag', (name, attributes) => this.#opened(name, attributes() || {}))
      .on('closeTag', (name) => this.#closed(name))
      .on('text', (text, decode) => this.#text(decode(text)))
      .parse(xml);
    return {
      paragraphs: this.#paragraphs,
      controls: this.#controls,
      runs: this.#runs,
      instructions: this.#instructions,
    };
  }

  #opened(name: string, attributes: Readonly<Record<string, string>>): void {
    const value = attributes['w:val'] ?? '';
    const parent = this.#path.at(-1);
    if (parent === 'w:rPr' && this.#path.at(-2) === 'w:r') this.#format += `${name}=${value};`;
    this.#path.push(name);
    if (name === 'w:p') this.#open.push(this.#paragraphs.push('') - 1);
    else if (name === 'w:r') this.#format = '';
    else if (name === 'w:sdt') this.#openControls.push({ tag: '', lock: '', id: '', text: '' });
    else if (parent === 'w:sdtPr') this.#property(name, value);
    else if (parent === 'w:r') this.#add(CHARACTERS.get(name) ?? '');
  }

  #property(name: string, value: string): void {
    const control = this.#openControls.at(-1);
    if (!control) return;
    if (name === 'w:tag') control.tag = value;
    else if (name === 'w:lock') control.lock = value;
    else if (name === 'w:id') control.id = value;
  }

  #closed(name: string): void {
    this.#path.pop();
    if (name === 'w:p') this.#open.pop();
    if (name !== 'w:sdt') return;
    const control = this.#openControls.pop();
    if (control) this.#controls.push(control);
  }

  #text(text: string): void {
    const element = this.#path.at(-1);
    if (element === 'w:instrText') this.#instructions.push(text.trim());
    if (element !== 'w:t') return;
    this.#runs.push([text, this.#format]);
    this.#add(text);
  }

  #add(text: string): void {
    const index = this.#open.at(-1);
    if (index !== undefined) this.#paragraphs[index] += text;
    for (const control of this.#openControls) control.text += text;
  }
}
