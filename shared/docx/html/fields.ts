import type { XmlNode } from './xml-tree.ts';

/** Whether text belongs to the instruction of a field, which is not shown; fields may span paragraphs. */
export class FieldState {
  /** Open fields: whether what follows is their result. */
  readonly #open: boolean[] = [];

  get isHidden(): boolean {
    return this.#open.includes(false);
  }

  pass(character: XmlNode): void {
    const type = character.attributes.get('w:fldCharType');
    if (type === 'begin') this.#open.push(false);
    if (type === 'separate' && this.#open.length > 0) this.#open[this.#open.length - 1] = true;
    if (type === 'end') this.#open.pop();
  }
}
