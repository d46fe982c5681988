import type { Control, FoundMarker, TextPiece } from '../../scan/part-model.ts';
import { piecesIn } from '../../scan/pieces.ts';
import { encodeXml } from '../../xml/character-data.ts';
import type { Splices } from '../../xml/splices.ts';

interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Changes of the texts of a part; several of them may be within one text element. */
export class PieceEdits {
  readonly #edits = new Map<TextPiece, TextEdit[]>();

  /** Puts a text in the place of a marker; it takes the format of the marker's first character. */
  replace(pieces: readonly TextPiece[], from: number, to: number, text: string): void {
    pieces.forEach((piece, index) => {
      const isLast = index === pieces.length - 1;
      this.#add(piece, {
        from: index === 0 ? from : 0,
        to: isLast ? to : piece.text.length,
        text: index === 0 ? text : '',
      });
    });
  }

  apply(splices: Splices): void {
    for (const [piece, edits] of this.#edits) {
      const { prefix } = piece.run.parent;
      let [text, at] = ['', 0];
      for (const { from, to, text: inserted } of edits.toSorted((a, b) => a.from - b.from)) {
        text += piece.text.slice(at, from) + inserted;
        at = to;
      }
      const content = encodeXml(text + piece.text.slice(at));
      splices.replace(
        piece.start,
        piece.end,
        `<${prefix}t xml:space="preserve">${content}</${prefix}t>`,
      );
    }
  }

  #add(piece: TextPiece, edit: TextEdit): void {
    this.#edits.set(piece, [...(this.#edits.get(piece) ?? []), edit]);
  }
}

/** Stands for the lock of a control until it is known; no text can have it, because of the quotes. */
export const LOCK_MARK = 'svc:lock';

/** Properties that a control loses: its text is no longer a placeholder, and nothing else fills it. */
const DROPPED: ReadonlySet<string> = new Set([
  'w:lock',
  'w:showingPlcHdr',
  'w:placeholder',
  'w:dataBinding',
  'w15:dataBinding',
]);

/** Makes the properties of a control those of a filled field; one that holds more than text is not a text control. */
export function fillControl(
  control: Control,
  xml: string,
  isText: boolean,
  splices: Splices,
): void {
  const { element, properties } = control;
  const lock = `<${element.prefix}lock ${element.prefix}val="${LOCK_MARK}"/>`;
  for (const { name, start, end } of properties) {
    if (DROPPED.has(name) || (!isText && name === 'w:text')) splices.remove(start, end);
  }
  const id = properties.find(({ name }) => name === 'w:id');
  const tag = properties.find(({ name }) => name === 'w:tag');
  const end = xml.indexOf(`</${element.prefix}sdtPr>`, element.start);
  splices.insert(id?.end ?? tag?.end ?? end, lock);
}

/** Leaves of a control its content alone. */
export function unwrapControl(control: Control, splices: Splices): void {
  splices.remove(control.element.start, control.content.start);
  splices.remove(control.content.end, control.end);
}

/** The texts of the control that a marker is. */
export const piecesOf = ({ paragraph }: FoundMarker, control: Control): readonly TextPiece[] =>
  piecesIn(paragraph.pieces, control.content, 'start');
