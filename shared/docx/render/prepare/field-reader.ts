import { parseMergeField } from '../../markers/instruction.ts';
import type { Span } from '../../scan/part-model.ts';
import { decodeXml } from '../../xml/character-data.ts';
import type { XmlTag } from '../../xml/tag.ts';
import { tokenise, type XmlLimits } from '../../xml/tokenise.ts';
import type { InstructionPart } from '../contract/if-field.ts';

/** A complex field of Word, with what its instruction is made of. */
export interface ReadField extends Span {
  readonly instruction: readonly (string | ReadField)[];
  /** Properties of its first run. */
  readonly format: string;
  /** It begins and ends in runs of its own, in one paragraph. */
  readonly isAlone: boolean;
  readonly prefix: string;
}

interface OpenField {
  readonly start: number;
  readonly format: string;
  readonly paragraph: number;
  readonly prefix: string;
  readonly instruction: (string | ReadField)[];
  isInResult: boolean;
  isAlone: boolean;
}

/** The fields of a part whose instructions hold other fields; the outermost ones. */
export function readNestingFields(xml: string, limits: XmlLimits): readonly ReadField[] {
  const reader = new FieldReader(xml);
  tokenise(xml, reader, limits);
  return reader.found.filter(({ instruction }) =>
    instruction.some((part) => typeof part !== 'string'),
  );
}

class FieldReader {
  readonly found: ReadField[] = [];
  readonly #xml: string;
  readonly #open: OpenField[] = [];
  #paragraph = 0;
  #run = { start: 0, format: '', characters: 0, hasText: false };
  #format = 0;
  #isInstruction = false;
  /** Fields that end with the run that is being read. */
  #ending: OpenField[] = [];

  constructor(xml: string) {
    this.#xml = xml;
  }

  open(tag: XmlTag): void {
    const { name, start } = tag;
    if (name === 'w:p') this.#paragraph = start;
    else if (name === 'w:r') this.#run = { start, format: '', characters: 0, hasText: false };
    else if (name === 'w:rPr') this.#format = start;
    else if (name === 'w:t') this.#run.hasText = true;
    else if (name === 'w:instrText') this.#isInstruction = !tag.isEmpty;
    else if (name === 'w:fldChar') this.#character(tag.attribute('w:fldCharType'), tag.prefix);
  }

  close(name: string, _start: number, end: number): void {
    if (name === 'w:instrText') this.#isInstruction = false;
    else if (name === 'w:rPr') this.#run.format = this.#xml.slice(this.#format, end);
    else if (name === 'w:r') for (const field of this.#ending.splice(0)) this.#finish(field, end);
  }

  text(start: number, end: number, literal: boolean): void {
    const field = this.#open.at(-1);
    if (!this.#isInstruction || !field || field.isInResult) return;
    const raw = this.#xml.slice(start, end);
    field.instruction.push(literal ? raw : decodeXml(raw));
  }

  #character(type: string | undefined, prefix: string): void {
    this.#run.characters += 1;
    const field = this.#open.at(-1);
    if (type === 'begin') {
      const { start, format } = this.#run;
      const paragraph = this.#paragraph;
      this.#open.push({
        start,
        format,
        paragraph,
        prefix,
        instruction: [],
        isInResult: false,
        isAlone: true,
      });
    } else if (type === 'separate' && field) field.isInResult = true;
    else if (type === 'end' && field) {
      this.#open.pop();
      this.#ending.push(field);
    }
  }

  #finish(field: OpenField, end: number): void {
    const isAlone =
      field.paragraph === this.#paragraph && this.#run.characters === 1 && !this.#run.hasText;
    const { start, instruction, format, prefix } = field;
    const read = { start, end, instruction, format, isAlone, prefix };
    const outer = this.#open.at(-1);
    if (outer === undefined) this.found.push(read);
    else if (!outer.isInResult) outer.instruction.push(read);
    else this.found.push(read);
  }
}

/** The parts of an instruction when all fields in it are merge fields; `undefined` when there are others. */
export function mergeParts({ instruction }: ReadField): readonly InstructionPart[] | undefined {
  const parts: InstructionPart[] = [];
  for (const part of instruction) {
    if (typeof part === 'string') parts.push(part);
    else {
      const merge = mergeOf(part);
      if (merge === undefined || !part.isAlone) return undefined;
      parts.push({ name: merge.name, switches: merge.switches });
    }
  }
  return parts;
}

/** The merge field that a field is; `undefined` for another one. */
export function mergeOf({ instruction }: ReadField): ReturnType<typeof parseMergeField> {
  const texts = instruction.filter((part) => typeof part === 'string');
  return texts.length === instruction.length ? parseMergeField(texts.join('')) : undefined;
}
